local ACKNOWLEDGEMENT, REJECT, LINKED = 1, 2, 3
local SR_TYPES = { [DATA] = "data", [ACKNOWLEDGEMENT] = "acknowledgement", [REJECT] = "reject", [LINKED] = "linked data" }
fields.sr_type = ProtoField.uint8("arqway.sr.type", "Type", base.DEC, SR_TYPES, 0x07)
fields.sr_nr = ProtoField.uint8("arqway.sr.nr", "N(R), next awaited", base.DEC)
fields.sr_ns = ProtoField.uint8("arqway.sr.ns", "N(S), number of this frame", base.DEC)
fields.sr_nx = ProtoField.uint8("arqway.sr.reject", "N(X), number that is missing", base.DEC)
fields.sr_link = ProtoField.uint8("arqway.sr.link", "Link, frames back to the one that goes before", base.DEC)

show["selective-repeat"] = function(octets, kind, pinfo, tree, root)
    local length = octets:len() - 1
    local head = ({ [DATA] = 2, [ACKNOWLEDGEMENT] = 1, [REJECT] = 2, [LINKED] = 3 })[kind]
    local carries = kind == DATA or kind == LINKED
    if not head or carries and length <= head or not carries and length ~= head then
        return false
    end
    tree:add(fields.sr_type, octets(0, 1))
    tree:add(fields.sr_nr, octets(1, 1))
    local info = SR_TYPES[kind]
    if carries then
        tree:add(fields.sr_ns, octets(2, 1))
        info = string.format("%s N(S)=%d", info, octets(2, 1):uint())
    elseif kind == REJECT then
        tree:add(fields.sr_nx, octets(2, 1))
        info = string.format("%s N(X)=%d", info, octets(2, 1):uint())
    end
    if kind == LINKED then
        tree:add(fields.sr_link, octets(3, 1))
        info = string.format("%s link=%d", info, octets(3, 1):uint())
    end
    pinfo.cols.info = string.format("%s N(R)=%d", info, octets(1, 1):uint())
    if carries then
        show_packet(octets(1 + head), pinfo, root)
    end
    return true
end
