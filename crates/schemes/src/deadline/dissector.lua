local AGAIN, NACK, PARITY, KEEPALIVE = 1, 2, 3, 4
local DEADLINE_TYPES = { [DATA] = "data", [AGAIN] = "again", [NACK] = "NACK", [PARITY] = "parity", [KEEPALIVE] = "keepalive" }
local MOST_ASKED, MOST_IN_SUM = 10, 64
fields.deadline_type = ProtoField.uint8("arqway.deadline.type", "Type", base.DEC, DEADLINE_TYPES, 0x07)
fields.deadline_n = ProtoField.uint16("arqway.deadline.n", "N, number of the packet", base.DEC)
fields.deadline_missing = ProtoField.uint16("arqway.deadline.missing", "Number that is missing", base.DEC)
fields.deadline_count = ProtoField.uint8("arqway.deadline.count", "Packets in the sum", base.DEC)
fields.deadline_key = ProtoField.uint8("arqway.deadline.key", "Key of the sum", base.DEC)
fields.deadline_sum = ProtoField.bytes("arqway.deadline.sum", "Sum")
fields.deadline_next = ProtoField.uint16("arqway.deadline.next", "Number of the next packet to be sent", base.DEC)

show["deadline"] = function(octets, kind, pinfo, tree, root)
    local length = octets:len() - 1
    local carries = kind == DATA or kind == AGAIN
    local nack = kind == NACK and length >= 2 and length <= 2 * MOST_ASKED and length % 2 == 0
    local count = kind == PARITY and length > 6 and octets(3, 1):uint() or 0
    local parity = count >= 1 and count <= MOST_IN_SUM
    if not (carries and length > 1 or nack or parity or kind == KEEPALIVE and length == 2) then
        return false
    end
    tree:add(fields.deadline_type, octets(0, 1))
    if carries then
        tree:add(fields.deadline_n, octets(1, 1))
        pinfo.cols.info = string.format("%s N=%d", DEADLINE_TYPES[kind], octets(1, 1):uint())
        show_packet(octets(2), pinfo, root)
    elseif nack then
        for index = 1, length, 2 do
            tree:add(fields.deadline_missing, octets(index, 2))
        end
        pinfo.cols.info = string.format("NACK N=%d, %d in all", octets(1, 2):uint(), length / 2)
    elseif parity then
        tree:add(fields.deadline_n, octets(1, 2))
        tree:add(fields.deadline_count, octets(3, 1))
        tree:add(fields.deadline_key, octets(4, 1))
        tree:add(fields.deadline_sum, octets(5))
        pinfo.cols.info = string.format("parity N=%d, %d packets", octets(1, 2):uint(), count)
    else
        tree:add(fields.deadline_next, octets(1, 2))
        pinfo.cols.info = string.format("keepalive N=%d", octets(1, 2):uint())
    end
    return true
end
