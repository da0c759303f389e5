fields.sscop_number = ProtoField.uint16("arqway.sscop.number", "Number of the frame", base.DEC)
fields.sscop_front = ProtoField.bytes("arqway.sscop.front", "Link and octets that make up the overhead")
arqway.prefs.sscop_filter = Pref.bool("SSCOP: frames have a number", true,
    "Whether the services' order-filter is on")
arqway.prefs.sscop_link = Pref.bool("SSCOP: packets have a link", false,
    "Whether the services' resequencing is per flow, or none for TCP alone")
arqway.prefs.sscop_overhead = Pref.uint("SSCOP: overhead", 0, "What the services' overhead is")

local SD = 8
-- How many octets stand in front of an SD PDU that has so much padding.
local function sscop_front(padding)
    local number, link = arqway.prefs.sscop_filter and 2 or 0, arqway.prefs.sscop_link and 2 or 0
    return link + math.max(0, arqway.prefs.sscop_overhead - number - link - padding - 4)
end

-- What is behind the frame's number is Wireshark's own to read: its dissector of SSCOP, and then that of IP.
show["sscop"] = function(octets, kind, pinfo, tree, root)
    local from = arqway.prefs.sscop_filter and 3 or 1
    local length = octets:len()
    if kind ~= DATA or length < from + 4 then
        return false
    end
    if from == 3 then
        tree:add(fields.sscop_number, octets(1, 2))
    end
    local last = octets(length - 4, 1)
    local padding = last:bitfield(0, 2)
    local is_data = last:bitfield(4, 4) == SD
    local front = is_data and sscop_front(padding) or 0
    local begins = from + front
    if (length - begins) % 4 ~= 0 or is_data and length - begins < 5 + padding then
        return false
    end
    if front > 0 then
        tree:add(fields.sscop_front, octets(from, front))
    end
    local behind = length - 4 - padding
    -- What a data PDU bears would be taken for signalling of ATM, whatever it is: Wireshark sees its trailer alone.
    Dissector.get("sscop"):call(octets(is_data and behind or begins):tvb(), pinfo, root)
    if is_data then
        show_packet(octets(begins, behind - begins), pinfo, root)
    end
    return true
end
