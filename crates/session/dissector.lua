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
