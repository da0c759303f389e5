local PARITY = 1
local FEC_TYPES = { [DATA] = "data", [PARITY] = "parity" }
local LARGEST_BLOCK = 64
fields.fec_type = ProtoField.uint8("arqway.fec.type", "Type", base.DEC, FEC_TYPES, 0x07)
fields.fec_n = ProtoField.uint8("arqway.fec.n", "N, number of the first frame", base.DEC)
fields.fec_count = ProtoField.uint8("arqway.fec.count", "Frames covered", base.DEC)
fields.fec_lengths = ProtoField.uint16("arqway.fec.lengths", "XOR of their lengths", base.DEC)
fields.fec_check = ProtoField.uint32("arqway.fec.check", "Sum of their checks", base.HEX)
fields.fec_xor = ProtoField.bytes("arqway.fec.xor", "XOR of their packets")

show["xor-fec"] = function(octets, kind, pinfo, tree, root)
    local length = octets:len() - 1
    if kind == DATA and length > 1 then
        tree:add(fields.fec_type, octets(0, 1))
        tree:add(fields.fec_n, octets(1, 1))
        pinfo.cols.info = string.format("data N=%d", octets(1, 1):uint())
        show_packet(octets(2), pinfo, root)
        return true
    end
    local count = length > 8 and octets(2, 1):uint() or 0
    if kind ~= PARITY or count < 1 or count > LARGEST_BLOCK then
        return false
    end
    tree:add(fields.fec_type, octets(0, 1))
    tree:add(fields.fec_n, octets(1, 1))
    tree:add(fields.fec_count, octets(2, 1))
    tree:add(fields.fec_lengths, octets(3, 2))
    tree:add(fields.fec_check, octets(5, 4))
    tree:add(fields.fec_xor, octets(9))
    pinfo.cols.info = string.format("parity N=%d, %d frames", octets(1, 1):uint(), count)
    return true
end
