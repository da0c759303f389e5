local REPAIR, NACK, KEEPALIVE, LINKED_DATA, LINKED_REPAIR, LONG_DATA, LONG_REPAIR = 1, 2, 3, 4, 5, 6, 7
local RLP_TYPES = { [DATA] = "data", [REPAIR] = "repair", [NACK] = "NACK", [KEEPALIVE] = "keepalive",
    [LINKED_DATA] = "linked data", [LINKED_REPAIR] = "linked repair", [LONG_DATA] = "long data", [LONG_REPAIR] = "long repair" }
fields.rlp_type = ProtoField.uint8("arqway.rlp.type", "Type", base.DEC, RLP_TYPES, 0x07)
fields.rlp_n = ProtoField.uint16("arqway.rlp.n", "N, number of the packet", base.DEC)
fields.rlp_link = ProtoField.uint8("arqway.rlp.link", "Link, frames back to the one that goes before", base.DEC)
fields.rlp_missing = ProtoField.uint16("arqway.rlp.missing", "Number that is missing", base.DEC)
fields.rlp_next = ProtoField.uint16("arqway.rlp.next", "Number of the next packet to be sent", base.DEC)

-- The numbers that a NACK asks for: the first, and one for each bit that is set.
local function show_missing(octets, tree)
    local first = octets(1, 2):uint()
    tree:add(fields.rlp_missing, octets(1, 2))
    local count = 1
    for index = 3, octets:len() - 1 do
        for bit = 0, 7 do
            if octets(index, 1):bitfield(bit, 1) == 1 then
                tree:add(fields.rlp_missing, octets(index, 1), (first + 1 + 8 * (index - 3) + bit) % 65536)
                count = count + 1
            end
        end
    end
    return string.format("NACK N=%d, %d in all", first, count)
end

show["rlp"] = function(octets, kind, pinfo, tree, root)
    local length = octets:len() - 1
    local linked = kind == LINKED_DATA or kind == LINKED_REPAIR
    local long = kind == LONG_DATA or kind == LONG_REPAIR
    local carries = kind == DATA or kind == REPAIR or linked or long
    local head = linked and 3 or long and 2 or 1
    -- No zeros behind the bits of a NACK.
    local nack = kind == NACK and (length == 2 or length > 2 and length <= 18 and octets(length, 1):uint() ~= 0)
    if not (carries and length > head or nack or kind == KEEPALIVE and length == 2) then
        return false
    end
    tree:add(fields.rlp_type, octets(0, 1))
    if carries then
        local number = octets(1, (linked or long) and 2 or 1)
        tree:add(fields.rlp_n, number)
        local info = string.format("%s N=%d", RLP_TYPES[kind], number:uint())
        if linked then
            tree:add(fields.rlp_link, octets(3, 1))
            info = string.format("%s link=%d", info, octets(3, 1):uint())
        end
        pinfo.cols.info = info
        show_packet(octets(1 + head), pinfo, root)
    elseif kind == NACK then
        pinfo.cols.info = show_missing(octets, tree)
    else
        tree:add(fields.rlp_next, octets(1, 2))
        pinfo.cols.info = string.format("keepalive N=%d", octets(1, 2):uint())
    end
    return true
end
