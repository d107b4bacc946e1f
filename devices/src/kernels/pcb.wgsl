// The detector's passes, as vision/src/detect/passes.rs describes them.
//
// A plane is packed, four pixels a word, the first in the lowest byte. A kernel has one thread for
// each word of a plane, or for each tile, or for each cost.

struct Arguments {
    width: u32,
    height: u32,
    p0: i32,
    p1: i32,
    p2: i32,
    p3: i32,
    p4: i32,
    p5: i32,
}

var<immediate> arguments: Arguments;

@group(0) @binding(0) var<storage, read> in0: array<u32>;
@group(0) @binding(1) var<storage, read> in1: array<u32>;
@group(0) @binding(2) var<storage, read> in2: array<u32>;
@group(0) @binding(1) var<storage, read_write> out1: array<u32>;
@group(0) @binding(2) var<storage, read_write> out2: array<u32>;
@group(0) @binding(3) var<storage, read_write> out3: array<u32>;

const TILE: u32 = 16u;
const LIGHT_REACH: i32 = 4;
const GAIN_ONE: u32 = 512u;
const BLOCK: u32 = 64u;
const BLOCK_ROW_STEP: u32 = 8u;
const SEARCH: u32 = 10u;
const PLACES: u32 = 21u;

fn thread(group: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    return (group.y * groups.x + group.x) * 64u + local;
}

fn pixel0(at: u32) -> u32 {
    return (in0[at >> 2u] >> ((at & 3u) * 8u)) & 255u;
}

// Four pixels from any place on.
fn four0(at: u32) -> u32 {
    let shift = (at & 3u) * 8u;
    let low = in0[at >> 2u] >> shift;
    // Shifted in two steps, since all 32 bits at once is not a shift.
    let high = (in0[(at >> 2u) + 1u] << (31u - shift)) << 1u;
    return low | high;
}

fn four1(at: u32) -> u32 {
    let shift = (at & 3u) * 8u;
    let low = in1[at >> 2u] >> shift;
    let high = (in1[(at >> 2u) + 1u] << (31u - shift)) << 1u;
    return low | high;
}

fn tiles_x() -> u32 {
    return (arguments.width + TILE - 1u) / TILE;
}

fn tiles_y() -> u32 {
    return (arguments.height + TILE - 1u) / TILE;
}

fn pixels() -> u32 {
    return arguments.width * arguments.height;
}

fn tile_total(tile: u32, marks: bool) -> u32 {
    let left = (tile % tiles_x()) * TILE;
    let top = (tile / tiles_x()) * TILE;
    let right = min(left + TILE, arguments.width);
    let bottom = min(top + TILE, arguments.height);
    var sum = 0u;
    for (var y = top; y < bottom; y++) {
        for (var x = left; x < right; x++) {
            let pixel = pixel0(y * arguments.width + x);
            sum += select(pixel, u32(pixel != 0u), marks);
        }
    }
    return sum;
}

@compute @workgroup_size(64)
fn tile_sums(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let tile = thread(group, groups, local);
    if tile < tiles_x() * tiles_y() {
        out1[tile] = tile_total(tile, false);
    }
}

@compute @workgroup_size(64)
fn tile_counts(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let tile = thread(group, groups, local);
    if tile < tiles_x() * tiles_y() {
        out1[tile] = tile_total(tile, true);
    }
}

@compute @workgroup_size(64)
fn light_gains(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let tile = thread(group, groups, local);
    if tile >= tiles_x() * tiles_y() {
        return;
    }
    let i = i32(tile % tiles_x());
    let j = i32(tile / tiles_x());
    let last_i = i32(tiles_x()) - 1;
    let last_j = i32(tiles_y()) - 1;
    var golden = 0u;
    var board = 0u;
    for (var near_j = max(j - LIGHT_REACH, 0); near_j <= min(j + LIGHT_REACH, last_j); near_j++) {
        for (var near_i = max(i - LIGHT_REACH, 0); near_i <= min(i + LIGHT_REACH, last_i); near_i++) {
            let near = u32(near_j) * tiles_x() + u32(near_i);
            golden += in0[near];
            board += in1[near];
        }
    }
    board = max(board, 1u);
    out2[tile] = clamp((golden * GAIN_ONE + board / 2u) / board, GAIN_ONE / 4u, GAIN_ONE * 4u);
}

// The tiles on both sides of a pixel along one axis, and the weight of the second in 1/32.
fn between_tiles(pixel: u32, tiles: u32) -> vec3<u32> {
    let q = 2 * i32(pixel) + 1 - i32(TILE);
    let last = i32(tiles) - 1;
    let first = clamp(q >> 5u, 0, last);
    let second = clamp((q >> 5u) + 1, 0, last);
    return vec3<u32>(u32(first), u32(second), u32(q & 31));
}

@compute @workgroup_size(64)
fn even_light(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let word = thread(group, groups, local);
    if word * 4u >= pixels() {
        return;
    }
    var packed = 0u;
    for (var k = 0u; k < 4u; k++) {
        let at = word * 4u + k;
        if at < pixels() {
            let across = between_tiles(at % arguments.width, tiles_x());
            let down = between_tiles(at / arguments.width, tiles_y());
            let upper = down.x * tiles_x();
            let lower = down.y * tiles_x();
            let left = in1[upper + across.x] * (32u - down.z) + in1[lower + across.x] * down.z;
            let right = in1[upper + across.y] * (32u - down.z) + in1[lower + across.y] * down.z;
            let gain = (left * (32u - across.z) + right * across.z + 512u) >> 10u;
            let even = min((pixel0(at) * gain + GAIN_ONE / 2u) / GAIN_ONE, 255u);
            packed |= even << (k * 8u);
        }
    }
    out2[word] = packed;
}

fn unlikeness(one: u32, other: u32) -> u32 {
    var sum = 0u;
    for (var shift = 0u; shift < 32u; shift += 8u) {
        let difference = i32((one >> shift) & 255u) - i32((other >> shift) & 255u);
        sum += u32(difference * difference);
    }
    return sum;
}

@compute @workgroup_size(64)
fn block_costs(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let cost = thread(group, groups, local);
    let blocks_x = (arguments.width - 2u * SEARCH) / BLOCK;
    let blocks_y = (arguments.height - 2u * SEARCH) / BLOCK;
    if cost >= blocks_x * blocks_y * PLACES * PLACES {
        return;
    }
    let u = cost % PLACES;
    let v = cost / PLACES % PLACES;
    let block = cost / (PLACES * PLACES);
    let left = SEARCH + block % blocks_x * BLOCK;
    let top = SEARCH + block / blocks_x * BLOCK;
    var sum = 0u;
    for (var row = 0u; row < BLOCK; row += BLOCK_ROW_STEP) {
        let board = (top + row) * arguments.width + left;
        let golden = (top + row + v - SEARCH) * arguments.width + left + u - SEARCH;
        for (var x = 0u; x < BLOCK; x += 4u) {
            sum += unlikeness(four1(board + x), four0(golden + x));
        }
    }
    out2[cost] = sum;
}

@compute @workgroup_size(64)
fn warp(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let word = thread(group, groups, local);
    if word * 4u >= pixels() {
        return;
    }
    let last_x = i32(arguments.width) - 1;
    let last_y = i32(arguments.height) - 1;
    let middle_x = i32(arguments.width / 2u);
    let middle_y = i32(arguments.height / 2u);
    var packed = 0u;
    for (var k = 0u; k < 4u; k++) {
        let at = word * 4u + k;
        if at < pixels() {
            let x = i32(at % arguments.width);
            let y = i32(at / arguments.width);
            let across = x - middle_x;
            let down = y - middle_y;
            let at_x = (x << 16u) + arguments.p0 + arguments.p1 * across + arguments.p2 * down;
            let at_y = (y << 16u) + arguments.p3 + arguments.p4 * across + arguments.p5 * down;
            let left = clamp(at_x >> 16u, 0, last_x);
            let right = clamp((at_x >> 16u) + 1, 0, last_x);
            let upper = clamp(at_y >> 16u, 0, last_y) * (last_x + 1);
            let lower = clamp((at_y >> 16u) + 1, 0, last_y) * (last_x + 1);
            let fx = u32((at_x >> 8u) & 255);
            let fy = u32((at_y >> 8u) & 255);
            let above = pixel0(u32(upper + left)) * (256u - fx) + pixel0(u32(upper + right)) * fx;
            let below = pixel0(u32(lower + left)) * (256u - fx) + pixel0(u32(lower + right)) * fx;
            let mixed = (above * (256u - fy) + below * fy + 32768u) >> 16u;
            packed |= (mixed & 255u) << (k * 8u);
        }
    }
    out1[word] = packed;
}

// The difference and its threshold in one: bindings low, high, board, marks.
@compute @workgroup_size(64)
fn mark(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let word = thread(group, groups, local);
    if word * 4u >= pixels() {
        return;
    }
    let low = in0[word];
    let high = in1[word];
    let board = in2[word];
    var packed = 0u;
    for (var shift = 0u; shift < 32u; shift += 8u) {
        let pixel = i32((board >> shift) & 255u);
        let brighter = max(pixel - i32((high >> shift) & 255u), 0);
        let darker = max(i32((low >> shift) & 255u) - pixel, 0);
        let difference = brighter - darker;
        let mark = u32(difference >= arguments.p0) | (u32(difference <= -arguments.p0) << 1u);
        packed |= mark << shift;
    }
    out3[word] = packed;
}

@compute @workgroup_size(64)
fn keep_clustered(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let word = thread(group, groups, local);
    if word * 4u >= pixels() {
        return;
    }
    var packed = 0u;
    // Most words have no mark in them.
    if in0[word] != 0u {
        for (var k = 0u; k < 4u; k++) {
            let at = word * 4u + k;
            let mark = (in0[word] >> (k * 8u)) & 255u;
            if at < pixels() && mark != 0u {
                let x = at % arguments.width;
                let y = at / arguments.width;
                var like = 0;
                for (var row = max(y, 1u) - 1u; row <= min(y + 1u, arguments.height - 1u); row++) {
                    for (var column = max(x, 1u) - 1u;
                        column <= min(x + 1u, arguments.width - 1u); column++) {
                        like += i32(pixel0(row * arguments.width + column) == mark);
                    }
                }
                packed |= select(0u, mark, like >= arguments.p0) << (k * 8u);
            }
        }
    }
    out1[word] = packed;
}
