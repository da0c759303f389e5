fields.umd_sn = ProtoField.uint8("arqway.umd.sn", "SN, number of the PDU", base.DEC, nil, 0xfe)
fields.umd_e = ProtoField.bool("arqway.umd.e", "E, a length indicator follows", 8, nil, 0x01)

-- What is in it may be parts of several packets: Wireshark's own dissector of RLC tells more, of captures that name RLC.
show["rlc-um"] = function(octets, kind, pinfo, tree)
    if kind ~= DATA or octets:len() < 3 then
        return false
    end
    tree:add(fields.umd_sn, octets(1, 1))
    tree:add(fields.umd_e, octets(1, 1))
    tree:add(fields.body, octets(2))
    pinfo.cols.info = string.format("UMD SN=%d", octets(1, 1):bitfield(0, 7))
    return true
end
