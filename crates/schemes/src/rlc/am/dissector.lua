local CONTROL_TYPES = { [0] = "STATUS", [1] = "RESET", [2] = "RESET ACK" }
fields.am_data = ProtoField.bool("arqway.am.data", "D/C, data", 8, nil, 0x80)
fields.am_type = ProtoField.uint8("arqway.am.type", "Type of control PDU", base.DEC, CONTROL_TYPES, 0x70)
fields.amd_sn = ProtoField.uint16("arqway.amd.sn", "SN, number of the PDU", base.DEC, nil, 0x7ff8)
fields.amd_p = ProtoField.bool("arqway.amd.p", "P, a status report is asked for", 16, nil, 0x0004)
fields.amd_he = ProtoField.uint16("arqway.amd.he", "HE, what follows", base.DEC, nil, 0x0003)
fields.am_rsn = ProtoField.bool("arqway.am.rsn", "RSN, number of the RESET", 8, nil, 0x08)

-- What a STATUS says, and what a PDU carries, Wireshark's own dissector of RLC tells, of captures that name RLC.
show["rlc-am"] = function(octets, kind, pinfo, tree)
    if kind ~= DATA or octets:len() < 2 then
        return false
    end
    tree:add(fields.am_data, octets(1, 1))
    if octets(1, 1):bitfield(0, 1) == 1 then
        if octets:len() < 4 then
            return false
        end
        tree:add(fields.amd_sn, octets(1, 2))
        tree:add(fields.amd_p, octets(1, 2))
        tree:add(fields.amd_he, octets(1, 2))
        tree:add(fields.body, octets(3))
        local poll = octets(1, 2):bitfield(13, 1) == 1 and ", poll" or ""
        pinfo.cols.info = string.format("AMD SN=%d%s", octets(1, 2):bitfield(1, 12), poll)
        return true
    end
    local control = CONTROL_TYPES[octets(1, 1):bitfield(1, 3)]
    if control == nil then
        return false
    end
    tree:add(fields.am_type, octets(1, 1))
    if control ~= "STATUS" then
        tree:add(fields.am_rsn, octets(1, 1))
    end
    tree:add(fields.body, octets(1))
    pinfo.cols.info = control
    return true
end
