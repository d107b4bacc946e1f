// The classifier, as vision/src/classify.rs describes it: a workgroup looks at one box.
//
// Pieces of copper are found by labels: each pixel of copper takes the least number of its
// neighbours until none changes. How many pieces there are does not depend on the order of that.

struct Arguments {
    width: u32,
    height: u32,
    copper_min: i32,
    print_min: i32,
    hole_max: i32,
    boxes: i32,
    unused: i32,
    unused_too: i32,
}

// The boxes are followed by as many more, whose first word is the place of the scratch of each.
struct Box {
    x: u32,
    y: u32,
    width: u32,
    height: u32,
}

var<immediate> arguments: Arguments;

@group(0) @binding(0) var<storage, read> golden_plane: array<u32>;
@group(0) @binding(1) var<storage, read> board_plane: array<u32>;
@group(0) @binding(2) var<storage, read> boxes: array<Box>;
@group(0) @binding(3) var<storage, read_write> scratch: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> results: array<u32>;

const THREADS: u32 = 64u;
const MARGIN: u32 = 12u;
const PIECE_MIN: u32 = 6u;
const TOUCH: i32 = 2;
const PRINT_REACH: i32 = 2;
const DIFFERENCE_MIN: i32 = 14;
const AREA_SURE: u32 = 20u;
const NONE: u32 = 0xffffffffu;

const MISSING_HOLE: u32 = 0u;
const MOUSE_BITE: u32 = 1u;
const OPEN_CIRCUIT: u32 = 2u;
const SHORT: u32 = 3u;
const SPUR: u32 = 4u;
const SPURIOUS_COPPER: u32 = 5u;

// Bits of a pixel of the crop.
const WAS_COPPER: u32 = 1u;
const IS_COPPER: u32 = 2u;
const BRIGHTER: u32 = 4u;
const DARKER: u32 = 8u;

var<workgroup> sum: atomic<i32>;
var<workgroup> total: atomic<u32>;
var<workgroup> differences: atomic<u32>;
var<workgroup> changes: atomic<u32>;
var<workgroup> holes: atomic<u32>;
var<workgroup> pieces: atomic<u32>;
var<workgroup> moved: u32;

fn golden_at(x: u32, y: u32) -> i32 {
    let at = y * arguments.width + x;
    return i32((golden_plane[at >> 2u] >> ((at & 3u) * 8u)) & 255u);
}

fn board_at(x: u32, y: u32) -> i32 {
    let at = y * arguments.width + x;
    return i32((board_plane[at >> 2u] >> ((at & 3u) * 8u)) & 255u);
}

fn is_printed(x: u32, y: u32) -> bool {
    let last_x = i32(arguments.width) - 1;
    let last_y = i32(arguments.height) - 1;
    for (var row = max(i32(y) - PRINT_REACH, 0); row <= min(i32(y) + PRINT_REACH, last_y); row++) {
        for (var column = max(i32(x) - PRINT_REACH, 0);
            column <= min(i32(x) + PRINT_REACH, last_x); column++) {
            if golden_at(u32(column), u32(row)) >= arguments.print_min {
                return true;
            }
        }
    }
    return false;
}

// The crop of a box, and where its four arrays lie in the scratch: bits, labels of what was, labels
// of what is, and counts.
struct Crop {
    left: u32,
    top: u32,
    width: u32,
    height: u32,
    bits: u32,
    before: u32,
    now: u32,
    counts: u32,
}

// Each pixel of copper takes the least label around it until none changes. `grown` counts what
// changed as copper too.
fn settle(crop: Crop, labels: u32, copper: u32, changed: u32, local: u32) {
    let area = crop.width * crop.height;
    for (var at = local; at < area; at += THREADS) {
        let bits = atomicLoad(&scratch[crop.bits + at]);
        atomicStore(&scratch[labels + at], select(NONE, at, (bits & (copper | changed)) != 0u));
    }
    storageBarrier();
    loop {
        if local == 0u {
            moved = 0u;
        }
        workgroupBarrier();
        for (var at = local; at < area; at += THREADS) {
            let own = atomicLoad(&scratch[labels + at]);
            if own == NONE {
                continue;
            }
            var least = own;
            let x = i32(at % crop.width);
            let y = i32(at / crop.width);
            for (var row = max(y - 1, 0); row <= min(y + 1, i32(crop.height) - 1); row++) {
                for (var column = max(x - 1, 0);
                    column <= min(x + 1, i32(crop.width) - 1); column++) {
                    let near = u32(row) * crop.width + u32(column);
                    least = min(least, atomicLoad(&scratch[labels + near]));
                }
            }
            // The pixel that gives a piece its label may belong to a piece of a lower one by now.
            least = min(least, atomicLoad(&scratch[labels + least]));
            if least < own {
                atomicMin(&scratch[labels + at], least);
                atomicMin(&scratch[labels + own], least);
                moved = 1u;
            }
        }
        storageBarrier();
        let go_on = workgroupUniformLoad(&moved);
        if go_on == 0u {
            break;
        }
    }
}

fn clear_counts(crop: Crop, local: u32) {
    for (var at = local; at < crop.width * crop.height; at += THREADS) {
        atomicStore(&scratch[crop.counts + at], 0u);
    }
    storageBarrier();
}

// How many pieces of golden copper the copper with the change in it overlaps.
fn pieces_joined(crop: Crop, changed: u32, local: u32) {
    let area = crop.width * crop.height;
    settle(crop, crop.before, WAS_COPPER, 0u, local);
    settle(crop, crop.now, IS_COPPER, changed, local);
    clear_counts(crop, local);
    // Pieces that have the change in them: a mark in the top bit of their count.
    for (var at = local; at < area; at += THREADS) {
        if (atomicLoad(&scratch[crop.bits + at]) & changed) != 0u {
            let piece = atomicLoad(&scratch[crop.now + at]);
            atomicOr(&scratch[crop.counts + piece], 0x80000000u);
        }
    }
    storageBarrier();
    for (var at = local; at < area; at += THREADS) {
        let piece = atomicLoad(&scratch[crop.now + at]);
        let was = atomicLoad(&scratch[crop.before + at]);
        let is_changed = (atomicLoad(&scratch[crop.bits + at]) & changed) != 0u;
        if !is_changed && piece != NONE && was != NONE {
            if (atomicLoad(&scratch[crop.counts + piece]) & 0x80000000u) != 0u {
                atomicAdd(&scratch[crop.counts + was], 1u);
            }
        }
    }
    storageBarrier();
    for (var at = local; at < area; at += THREADS) {
        if (atomicLoad(&scratch[crop.counts + at]) & 0x7fffffffu) >= PIECE_MIN {
            atomicAdd(&pieces, 1u);
        }
    }
}

// How many pieces of the board's copper are left where the golden copper was bitten.
fn pieces_left(crop: Crop, changed: u32, local: u32) {
    let area = crop.width * crop.height;
    settle(crop, crop.before, WAS_COPPER, 0u, local);
    settle(crop, crop.now, IS_COPPER, 0u, local);
    clear_counts(crop, local);
    // What was bitten: a mark in the top bit. Whether a piece that is left touches it: the next.
    for (var at = local; at < area; at += THREADS) {
        let was = atomicLoad(&scratch[crop.before + at]);
        if (atomicLoad(&scratch[crop.bits + at]) & changed) != 0u && was != NONE {
            atomicOr(&scratch[crop.counts + was], 0x80000000u);
        }
    }
    storageBarrier();
    for (var at = local; at < area; at += THREADS) {
        let piece = atomicLoad(&scratch[crop.now + at]);
        if piece != NONE {
            atomicAdd(&scratch[crop.counts + piece], 1u);
        }
        if (atomicLoad(&scratch[crop.bits + at]) & changed) == 0u {
            continue;
        }
        let x = i32(at % crop.width);
        let y = i32(at / crop.width);
        for (var row = max(y - TOUCH, 0); row <= min(y + TOUCH, i32(crop.height) - 1); row++) {
            for (var column = max(x - TOUCH, 0);
                column <= min(x + TOUCH, i32(crop.width) - 1); column++) {
                let near = u32(row) * crop.width + u32(column);
                let was = atomicLoad(&scratch[crop.before + near]);
                let left = atomicLoad(&scratch[crop.now + near]);
                if was != NONE && left != NONE {
                    if (atomicLoad(&scratch[crop.counts + was]) & 0x80000000u) != 0u {
                        atomicOr(&scratch[crop.counts + left], 0x40000000u);
                    }
                }
            }
        }
    }
    storageBarrier();
    for (var at = local; at < area; at += THREADS) {
        let count = atomicLoad(&scratch[crop.counts + at]);
        if (count & 0x40000000u) != 0u && (count & 0x3fffffffu) >= PIECE_MIN {
            atomicAdd(&pieces, 1u);
        }
    }
}

fn look(crop: Crop, bounds: Box, local: u32) {
    for (var at = local; at < crop.width * crop.height; at += THREADS) {
        let x = crop.left + at % crop.width;
        let y = crop.top + at / crop.width;
        let was = golden_at(x, y);
        let is = board_at(x, y);
        var bits = 0u;
        if !is_printed(x, y) {
            bits |= select(0u, WAS_COPPER, was >= arguments.copper_min);
            bits |= select(0u, IS_COPPER, is >= arguments.copper_min);
        }
        let inside = x >= bounds.x && y >= bounds.y
            && x < bounds.x + bounds.width && y < bounds.y + bounds.height;
        let difference = is - was;
        if inside && abs(difference) >= DIFFERENCE_MIN {
            bits |= select(DARKER, BRIGHTER, difference > 0);
            atomicAdd(&sum, difference);
            atomicAdd(&total, u32(abs(difference)));
            atomicAdd(&differences, 1u);
        }
        atomicStore(&scratch[crop.bits + at], bits);
    }
    storageBarrier();
    workgroupBarrier();
}

fn look_for_holes(crop: Crop, changed: u32, local: u32) {
    for (var at = local; at < crop.width * crop.height; at += THREADS) {
        if (atomicLoad(&scratch[crop.bits + at]) & changed) != 0u {
            atomicAdd(&changes, 1u);
            let x = crop.left + at % crop.width;
            let y = crop.top + at / crop.width;
            if golden_at(x, y) <= arguments.hole_max {
                atomicAdd(&holes, 1u);
            }
        }
    }
    workgroupBarrier();
}

@compute @workgroup_size(64)
fn classify(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let bounds = boxes[group.x];
    var crop: Crop;
    crop.left = max(bounds.x, MARGIN) - MARGIN;
    crop.top = max(bounds.y, MARGIN) - MARGIN;
    crop.width = min(bounds.x + bounds.width + MARGIN, arguments.width) - crop.left;
    crop.height = min(bounds.y + bounds.height + MARGIN, arguments.height) - crop.top;
    let area = crop.width * crop.height;
    crop.bits = boxes[group.x + u32(arguments.boxes)].x;
    crop.before = crop.bits + area;
    crop.now = crop.before + area;
    crop.counts = crop.now + area;

    look(crop, bounds, local);
    let added = atomicLoad(&sum) >= 0;
    let changed = select(DARKER, BRIGHTER, added);
    look_for_holes(crop, changed, local);
    let dark = atomicLoad(&holes);
    let was_hole = dark > 0u && dark * 3u >= atomicLoad(&changes);
    var kind = MISSING_HOLE;
    if !added {
        pieces_left(crop, changed, local);
    } else if !was_hole {
        pieces_joined(crop, changed, local);
    }
    workgroupBarrier();
    if local == 0u {
        let count = atomicLoad(&pieces);
        if !added {
            kind = select(MOUSE_BITE, OPEN_CIRCUIT, count > 1u);
        } else if !was_hole {
            kind = select(select(SHORT, SPUR, count == 1u), SPURIOUS_COPPER, count == 0u);
        }
        let found = atomicLoad(&differences);
        results[group.x * 4u] = kind;
        // The host works the score out: it needs 64 bits.
        results[group.x * 4u + 1u] = found;
        results[group.x * 4u + 2u] = atomicLoad(&total);
    }
}
