local ACKNOWLEDGEMENT = 1
local GBN_TYPES = { [DATA] = "data", [ACKNOWLEDGEMENT] = "acknowledgement" }
fields.gbn_type = ProtoField.uint8("arqway.gbn.type", "Type", base.DEC, GBN_TYPES, 0x07)
fields.gbn_nr = ProtoField.uint8("arqway.gbn.nr", "N(R), next awaited", base.DEC)
fields.gbn_ns = ProtoField.uint8("arqway.gbn.ns", "N(S), number of this frame", base.DEC)

show["go-back-n"] = function(octets, kind, pinfo, tree, root)
    local length = octets:len() - 1
    if not (kind == DATA and length > 2 or kind == ACKNOWLEDGEMENT and length == 1) then
        return false
    end
    tree:add(fields.gbn_type, octets(0, 1))
    tree:add(fields.gbn_nr, octets(1, 1))
    local info = GBN_TYPES[kind]
    if kind == DATA then
        tree:add(fields.gbn_ns, octets(2, 1))
        info = string.format("%s N(S)=%d", info, octets(2, 1):uint())
    end
    pinfo.cols.info = string.format("%s N(R)=%d", info, octets(1, 1):uint())
    if kind == DATA then
        show_packet(octets(3), pinfo, root)
    end
    return true
end
