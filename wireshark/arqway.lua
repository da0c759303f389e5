-- SPDX-License-Identifier: MIT OR Apache-2.0
--
-- Wireshark's dissector for Arqway's frames, as `arqway trace` captures them (link type USER0) and docs/wire.md
-- describes them:
--
--      7       3 2   0
--     +---------+-----+----------------+--------------+
--     | service | kind|  head          |  body        |
--     +---------+-----+----------------+--------------+
--
--     wireshark -X lua_script:wireshark/arqway.lua cell.pcapng
--     tshark -X lua_script:wireshark/arqway.lua -r cell.pcapng -Y 'arqway.sr.type == 2'
--
-- Which service has which number is the link's own affair. A capture says it in the description of its interfaces,
-- such as "services: 0=selective-repeat 1=raw"; the preference "Services" stands in where a capture does not.

local arqway = Proto("arqway", "Arqway Link Layer")

local DATA = 0

local fields = {
    tag = ProtoField.uint8("arqway.tag", "Tag", base.HEX),
    service = ProtoField.uint8("arqway.service", "Service", base.DEC, nil, 0xf8),
    kind = ProtoField.uint8("arqway.kind", "Kind", base.DEC, nil, 0x07),
    name = ProtoField.string("arqway.service.name", "Service's kind"),
    body = ProtoField.bytes("arqway.body", "Body"),
}

local malformed = ProtoExpert.new("arqway.malformed", "Malformed frame", expert.group.MALFORMED, expert.severity.ERROR)
local unknown = ProtoExpert.new("arqway.unknown", "Unknown service", expert.group.UNDECODED, expert.severity.NOTE)
arqway.experts = { malformed, unknown }

arqway.prefs.services = Pref.string("Services", "0=selective-repeat 1=raw",
    "Which service each number names, where the capture does not say")
arqway.prefs.packets = Pref.bool("Show the packets inside", true,
    "Hand the packets in the frames on to the dissector of IP")

local interface_description = Field.new("frame.interface_description")

-- "0=selective-repeat 1=raw" as { [0] = "selective-repeat", [1] = "raw" }, each text read once.
local read_before = {}
local function services_in(text)
    local services = read_before[text]
    if not services then
        services = {}
        for number, name in text:gmatch("(%d+)=([%w-]+)") do
            services[tonumber(number)] = name
        end
        read_before[text] = services
    end
    return services
end

local function service_name(number)
    local description = interface_description()
    local told = description and tostring(description.value):match("services: (.*)")
    return services_in(told or arqway.prefs.services)[number]
end

-- Hands a packet on: its first four bits say which IP it is. What is told of the frame stays in front of what is told of it.
local function show_packet(octets, pinfo, tree)
    local version = octets(0, 1):bitfield(0, 4)
    local name = version == 4 and "ip" or version == 6 and "ipv6"
    if name and arqway.prefs.packets then
        pinfo.cols.info:append(" | ")
        pinfo.cols.info:fence()
        Dissector.get(name):call(octets:tvb(), pinfo, tree)
    else
        tree:add(fields.body, octets)
    end
end

local show = {}

-- A frame that is its packet and nothing else.
local function show_bare(name)
    return function(octets, kind, pinfo, tree, root)
        if kind ~= DATA or octets:len() < 2 then
            return false
        end
        pinfo.cols.info = name
        show_packet(octets(1), pinfo, root)
        return true
    end
end

-- The multiplexer's own: what the receiver of a service misses.
fields.report_service = ProtoField.uint8("arqway.report.service", "Reported service", base.DEC)
fields.report_loss = ProtoField.uint16("arqway.report.loss", "Loss, in parts of 65535", base.DEC)

show["reports"] = function(octets, kind, pinfo, tree)
    if kind ~= DATA or octets:len() ~= 4 then
        return false
    end
    tree:add(fields.report_service, octets(1, 1))
    tree:add(fields.report_loss, octets(2, 2))
    pinfo.cols.info = string.format("report, service %d loses %.2f %%", octets(1, 1):uint(), octets(2, 2):uint() / 655.35)
    return true
end

-- The services stand here: each is in its folder, crates/schemes/src/*/dissector.lua.
do
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
end

do
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
end

do
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
end

do
    show["raw"] = show_bare("raw")
end

do
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
end

do
    show["rlc-tm"] = show_bare("rlc-tm")
end

do
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
end

do
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
end

do
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
end

do
    show["snoop"] = show_bare("snoop")
end

do
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
end

do
    local DATA_LINK, FEEDBACK, LONG, POLL_OR_FEEDBACK, PIECE_OR_GIVEN_UP, WHOLE = 1, 2, 3, 5, 6, 7
    local TALLY_TYPES = { [DATA] = "data", [DATA_LINK] = "data with link", [FEEDBACK] = "data with feedback",
        [LONG] = "data, long numbers", [4] = "feedback", [POLL_OR_FEEDBACK] = "poll, or feedback with long numbers",
        [PIECE_OR_GIVEN_UP] = "piece of a frame, frames given up, or sum of frames", [WHOLE] = "whole packet" }
    local LATENESS = { [0] = "the link keeps its order", "up to 4 transmissions late", "up to 32", "up to 256" }
    fields.tally_type = ProtoField.uint8("arqway.tally.type", "Type", base.DEC, TALLY_TYPES, 0x07)
    fields.tally_number = ProtoField.uint32("arqway.tally.number", "Frame number", base.DEC)
    fields.tally_counter = ProtoField.uint32("arqway.tally.counter", "Transmission counter", base.DEC)
    fields.tally_starts = ProtoField.bool("arqway.tally.starts", "A packet starts here")
    fields.tally_ends = ProtoField.bool("arqway.tally.ends", "A packet ends here")
    fields.tally_link = ProtoField.uint32("arqway.tally.link", "Link, frames back to the one that goes before", base.DEC)
    fields.tally_next = ProtoField.uint32("arqway.tally.next", "First frame that is missing", base.DEC)
    fields.tally_newest = ProtoField.uint32("arqway.tally.newest", "Newest transmission seen", base.DEC)
    fields.tally_lateness = ProtoField.uint8("arqway.tally.lateness", "Lateness", base.DEC, LATENESS)
    fields.tally_upward = ProtoField.bool("arqway.tally.upward", "Runs go upward")
    fields.tally_line = ProtoField.uint8("arqway.tally.line", "Line that the newest transmission went by", base.DEC)
    fields.tally_run = ProtoField.uint32("arqway.tally.run", "Run", base.DEC)
    fields.tally_offset = ProtoField.uint16("arqway.tally.offset", "Where the piece begins", base.DEC)
    fields.tally_last = ProtoField.bool("arqway.tally.last", "Last piece")
    fields.tally_count = ProtoField.uint16("arqway.tally.count", "Frames given up, or in the sum", base.DEC)
    fields.tally_key = ProtoField.uint8("arqway.tally.key", "Key of the sum", base.DEC)

    -- Two numbers side by side from octet `at` on, the bits behind them, and where the next octet is; nil if there are too few.
    local function two_numbers(octets, at, is_long, tree, first, second)
        local width, length = is_long and 18 or 11, is_long and 5 or 3
        if octets:len() < at + length then
            return nil
        end
        local both = octets(at, length)
        local one, other = both:bitfield(0, width), both:bitfield(width, width)
        tree:add(first, both, one)
        tree:add(second, both, other)
        return one, other, both:bitfield(2 * width, 8 * length - 2 * width), at + length
    end

    -- A number of seven bits an octet, the higher ones first, which ends before octet `stop`, and where the next octet is.
    local function seven_bits(octets, at, stop, tree, field)
        local number, from = 0, at
        while at < math.min(stop, from + 3) do
            local octet = octets(at, 1):uint()
            number, at = number * 128 + octet % 128, at + 1
            if octet < 128 then
                tree:add(field, octets(from, at - from), number)
                return number, at
            end
        end
        return nil
    end

    -- Runs up to octet `stop`, behind the number of a line if they are of its transmissions; zeros behind them say nothing.
    local function show_runs(octets, at, stop, of_line, tree)
        if stop > octets:len() or stop - at > 96 then
            return false
        end
        if of_line then
            if stop - at < 2 or octets(at, 1):uint() > 7 or octets(at + 1, 1):uint() == 0 then
                return false
            end
            tree:add(fields.tally_line, octets(at, 1))
            at = at + 1
        end
        local number
        while at < stop and number ~= 0 do
            number, at = seven_bits(octets, at, stop, tree, fields.tally_run)
            if not number then
                return false
            end
        end
        while at < stop do
            if octets(at, 1):uint() ~= 0 then
                return false
            end
            at = at + 1
        end
        return true
    end

    -- Feedback from octet `at` on, without its runs. Where the next octet is, what it says in words, and whether it is of a line.
    local function show_feedback(octets, at, is_long, tree)
        local next, newest, bits, stop = two_numbers(octets, at, is_long, tree, fields.tally_next, fields.tally_newest)
        local of_line = is_long and bits and bits % 2 == 1
        if not next or of_line and bits % 4 == 3 then
            return nil
        end
        tree:add(fields.tally_lateness, octets(stop - 1, 1), is_long and math.floor(bits / 4) or bits)
        if is_long then
            tree:add(fields.tally_upward, octets(stop - 1, 1), bits % 4 == 2)
        end
        return stop, string.format("next %d, newest %d", next, newest), of_line
    end

    -- What data and pieces have in common: names and marks. Where the next octet is, what it says, the bits behind the marks, and
    -- whether it starts and ends a packet.
    local function show_cut(octets, is_long, tree)
        local number, counter, bits, at = two_numbers(octets, 1, is_long, tree, fields.tally_number, fields.tally_counter)
        if not number then
            return nil
        end
        local marks, rest = is_long and math.floor(bits / 4) or bits, is_long and bits % 4 or 0
        local starts, ends = marks >= 2, marks % 2 == 1
        tree:add(fields.tally_starts, octets(at - 1, 1), starts)
        tree:add(fields.tally_ends, octets(at - 1, 1), ends)
        return at, string.format("frame %d, transmission %d", number, counter), rest, starts, ends
    end

    -- The link from octet `at` on, if there is one. Where the next octet is.
    local function show_link(octets, at, is_there, ends, tree)
        if not is_there then
            return at
        end
        local link, stop = seven_bits(octets, at, octets:len(), tree, fields.tally_link)
        return ends and link and stop
    end

    local function show_data(octets, kind, pinfo, tree, root)
        local is_long = kind == LONG
        local at, info, rest, starts, ends = show_cut(octets, is_long, tree)
        if not at then
            return false
        end
        local has_feedback, has_link, length = rest >= 2 or kind == FEEDBACK, rest % 2 == 1 or kind == DATA_LINK, nil
        if kind == FEEDBACK and at < octets:len() then
            length = octets(at, 1):uint()
            has_link, length, at = length >= 128, length % 128, at + 1
        end
        at = show_link(octets, at, has_link, ends, tree)
        if not at then
            return false
        end
        if has_feedback then
            if is_long and at < octets:len() then
                length, at = octets(at, 1):uint(), at + 1
            end
            local stop, feedback, of_line = show_feedback(octets, at, is_long, tree)
            if not stop or not length or not show_runs(octets, stop, stop + length, of_line, tree) then
                return false
            end
            at, info = stop + length, info .. ", " .. feedback
        end
        if at >= octets:len() then
            return false
        end
        pinfo.cols.info = info
        if starts and ends then
            show_packet(octets(at), pinfo, root)
        else
            tree:add(fields.body, octets(at))
        end
        return true
    end

    local function show_piece(octets, pinfo, tree)
        local at, info, rest, _, ends = show_cut(octets, true, tree)
        at = at and show_link(octets, at, rest % 2 == 1, ends, tree)
        if not at or octets:len() <= at + 2 then
            return false
        end
        tree:add(fields.tally_last, octets(5, 1), rest >= 2)
        tree:add(fields.tally_offset, octets(at, 2))
        tree:add(fields.body, octets(at + 2))
        pinfo.cols.info = string.format("%s, piece from octet %d on", info, octets(at, 2):uint())
        return true
    end

    local function show_whole(octets, pinfo, tree, root)
        if octets:len() < 4 then
            return false
        end
        local counter, waits_for_none = octets(2, 1):bitfield(0, 7), octets(2, 1):bitfield(7, 1) == 1
        tree:add(fields.tally_number, octets(1, 1))
        tree:add(fields.tally_counter, octets(2, 1), counter)
        if waits_for_none then
            tree:add(fields.tally_link, octets(2, 1), 0)
        end
        pinfo.cols.info = string.format("frame %d, transmission %d", octets(1, 1):uint(), counter)
        show_packet(octets(3), pinfo, root)
        return true
    end

    local function show_given_up(octets, pinfo, tree)
        local number, counter, rest = two_numbers(octets, 1, true, tree, fields.tally_number, fields.tally_counter)
        tree:add(fields.tally_starts, octets(5, 1), rest >= 8)
        tree:add(fields.tally_count, octets(6, 2))
        pinfo.cols.info = string.format("given up: %d from frame %d on, transmission %d", octets(6, 2):uint(), number, counter)
        return rest % 8 == 0 and octets(6, 2):uint() >= 1 and octets(6, 2):uint() <= 4096
    end

    -- A sum of frames; nil if it is none.
    local function show_sum(octets, pinfo, tree)
        if octets:len() < 14 or octets(5, 1):bitfield(4, 4) ~= 3 then
            return nil
        end
        local first, counter = two_numbers(octets, 1, true, tree, fields.tally_number, fields.tally_counter)
        local count = octets(6, 2):bitfield(0, 10)
        tree:add(fields.tally_count, octets(6, 2), count)
        tree:add(fields.tally_key, octets(7, 1), octets(7, 1):bitfield(2, 6))
        tree:add(fields.body, octets(8))
        pinfo.cols.info = string.format("sum of %d frames from %d on, transmission %d", count, first, counter)
        return count >= 1 and count <= 512
    end

    show["tally"] = function(octets, kind, pinfo, tree, root)
        tree:add(fields.tally_type, octets(0, 1))
        if kind <= LONG then
            return show_data(octets, kind, pinfo, tree, root)
        elseif kind == WHOLE then
            return show_whole(octets, pinfo, tree, root)
        elseif kind == PIECE_OR_GIVEN_UP and octets:len() == 8 then
            return show_given_up(octets, pinfo, tree)
        elseif kind == PIECE_OR_GIVEN_UP then
            local is_sum = show_sum(octets, pinfo, tree)
            if is_sum ~= nil then
                return is_sum
            end
            return show_piece(octets, pinfo, tree)
        elseif kind == POLL_OR_FEEDBACK and octets:len() == 4 then
            local counter = octets(1, 3)
            tree:add(fields.tally_counter, counter, counter:bitfield(0, 18))
            pinfo.cols.info = string.format("poll, transmission %d", counter:bitfield(0, 18))
            return counter:bitfield(18, 6) == 0
        end
        local at, info, of_line = show_feedback(octets, 1, kind == POLL_OR_FEEDBACK, tree)
        pinfo.cols.info = info and "feedback " .. info or "feedback"
        return at ~= nil and show_runs(octets, at, octets:len(), of_line, tree)
    end
end

arqway.fields = fields

function arqway.dissector(tvb, pinfo, root)
    if tvb:len() == 0 then
        return 0
    end
    local octets = tvb()
    local service, kind = octets(0, 1):bitfield(0, 5), octets(0, 1):bitfield(5, 3)
    local name = service_name(service)
    pinfo.cols.protocol = "Arqway"
    local tree = root:add(arqway, octets, string.format("Arqway, service %d (%s), kind %d", service, name or "unknown", kind))
    tree:add(fields.tag, octets(0, 1))
    tree:add(fields.service, octets(0, 1))
    tree:add(fields.kind, octets(0, 1))
    if name then
        tree:add(fields.name, name):set_generated()
    end
    if not show[name] then
        tree:add_proto_expert_info(unknown)
        pinfo.cols.info = string.format("service %d, kind %d", service, kind)
    elseif not show[name](octets, kind, pinfo, tree, root) then
        tree:add_proto_expert_info(malformed)
        pinfo.cols.info = string.format("%s, malformed", name)
    end
    return tvb:len()
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, arqway)

do
    -- The outer format of a session, over UDP: what is sealed stays so. docs/session.md describes it.

    local session = Proto("arqway_session", "Arqway Session")

    local TYPES = { [1] = "first message", [2] = "answer", [3] = "cookie", [4] = "refusal" }
    local FIRST, ANSWER, COOKIE, REFUSAL = 1, 2, 3, 4

    local session_fields = {
        type = ProtoField.uint8("arqway_session.type", "Type", base.HEX),
        line = ProtoField.uint8("arqway_session.line", "Line", base.DEC, nil, 0xE0),
        control = ProtoField.bool("arqway_session.control", "For the session itself", 8, nil, 0x02),
        long = ProtoField.bool("arqway_session.long", "Counter of four octets", 8, nil, 0x01),
        sender = ProtoField.uint32("arqway_session.sender", "Sender", base.HEX),
        receiver = ProtoField.uint32("arqway_session.receiver", "Receiver", base.HEX),
        ephemeral = ProtoField.bytes("arqway_session.ephemeral", "Ephemeral key"),
        static = ProtoField.bytes("arqway_session.static", "Static key, sealed"),
        payload = ProtoField.bytes("arqway_session.payload", "Payload, sealed"),
        mac1 = ProtoField.bytes("arqway_session.mac1", "First code"),
        mac2 = ProtoField.bytes("arqway_session.mac2", "Second code"),
        nonce = ProtoField.bytes("arqway_session.nonce", "Nonce"),
        cookie = ProtoField.bytes("arqway_session.cookie", "Cookie, sealed"),
        tag = ProtoField.bytes("arqway_session.tag", "Tag of a refusal"),
        index = ProtoField.uint16("arqway_session.index", "Index", base.HEX),
        counter = ProtoField.uint32("arqway_session.counter", "Counter, its lowest bits", base.DEC),
        length = ProtoField.uint32("arqway_session.length", "Octets sealed", base.DEC),
        sealed = ProtoField.bytes("arqway_session.sealed", "Sealed, with its tag"),
    }
    session.fields = session_fields

    local session_malformed =
        ProtoExpert.new("arqway_session.malformed", "Malformed datagram", expert.group.MALFORMED, expert.severity.ERROR)
    session.experts = { session_malformed }

    -- Whether octets are a handshake message: three zeros behind its type, and a length that it can have.
    local function is_handshake(tvb)
        local length = tvb:len()
        if length < 48 or tvb(1, 3):uint() ~= 0 then
            return false
        end
        local type = tvb(0, 1):uint()
        return type == FIRST and length >= 148
            or type == ANSWER and length >= 92
            or type == COOKIE and length == 64
            or type == REFUSAL and length == 48
    end

    -- Adds fields one behind the other; returns where the last one ends.
    local function add_fields(tree, tvb, from, list)
        for _, one in ipairs(list) do
            tree:add_le(session_fields[one[1]], tvb(from, one[2]))
            from = from + one[2]
        end
        return from
    end

    local function show_handshake(tvb, pinfo, tree)
        local type = tvb(0, 1):uint()
        pinfo.cols.info = TYPES[type]
        if type == COOKIE then
            add_fields(tree, tvb, 4, { { "receiver", 4 }, { "nonce", 24 }, { "cookie", 32 } })
            return
        end
        if type == REFUSAL then
            add_fields(tree, tvb, 4, { { "receiver", 4 }, { "nonce", 24 }, { "tag", 16 } })
            return
        end
        local from
        if type == FIRST then
            from = add_fields(tree, tvb, 4, { { "sender", 4 }, { "ephemeral", 32 }, { "static", 48 } })
        else
            from = add_fields(tree, tvb, 4, { { "sender", 4 }, { "receiver", 4 }, { "ephemeral", 32 } })
        end
        local payload = tvb:len() - 32 - from
        add_fields(tree, tvb, from, { { "payload", payload }, { "mac1", 16 }, { "mac2", 16 } })
    end

    local function show_sealed(tvb, pinfo, tree)
        local kind = tvb(0, 1):uint() % 0x20
        local head = kind % 2 == 1 and 7 or 5
        if kind < 0x10 or kind > 0x13 or tvb:len() < head + 16 then
            return false
        end
        tree:add(session_fields.line, tvb(0, 1))
        tree:add(session_fields.control, tvb(0, 1))
        tree:add(session_fields.long, tvb(0, 1))
        add_fields(tree, tvb, 1, { { "index", 2 }, { "counter", head - 3 } })
        local length = tvb:len() - head - 16
        tree:add(session_fields.length, length):set_generated()
        tree:add(session_fields.sealed, tvb(head))
        local what = kind >= 0x12 and "control" or length == 0 and "sign of life" or "packet"
        pinfo.cols.info = string.format("%s, index 0x%04x, counter %d", what, tvb(1, 2):le_uint(), tvb(3, head - 3):le_uint())
        return true
    end

    function session.dissector(tvb, pinfo, root)
        if tvb:len() == 0 then
            return 0
        end
        pinfo.cols.protocol = "Arqway"
        local tree = root:add(session, tvb())
        tree:add(session_fields.type, tvb(0, 1))
        if is_handshake(tvb) then
            show_handshake(tvb, pinfo, tree)
        elseif not show_sealed(tvb, pinfo, tree) then
            tree:add_proto_expert_info(session_malformed)
            pinfo.cols.info = "malformed"
        end
        return tvb:len()
    end

    -- A first message is longer than WireGuard's, of which Wireshark knows 148 octets: what follows it between the same two is ours.
    session:register_heuristic("udp", function(tvb, pinfo, root)
        if tvb:len() ~= 190 or not is_handshake(tvb) or tvb(0, 1):uint() ~= FIRST then
            return false
        end
        pinfo.conversation = session
        session.dissector(tvb, pinfo, root)
        return true
    end)
    DissectorTable.get("udp.port"):add_for_decode_as(session)
end
