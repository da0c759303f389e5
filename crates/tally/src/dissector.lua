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
