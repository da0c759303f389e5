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
@services@

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

@session@
