// Edges by Sobel's operator. A picture has one byte a pixel, four pixels in a word; each thread
// makes one word, so that no two write the same one.

struct Arguments {
    width: u32,
    height: u32,
}

// The arguments, in the order in which the line file lists them.
var<immediate> arguments: Arguments;

// The buffers, in the order in which the line file lists them.
@group(0) @binding(0) var<storage, read> picture: array<u32>;
@group(0) @binding(1) var<storage, read_write> edges_of_it: array<u32>;

fn pixel(x: i32, y: i32) -> i32 {
    let column = clamp(x, 0, i32(arguments.width) - 1);
    let row = clamp(y, 0, i32(arguments.height) - 1);
    let at = u32(row) * arguments.width + u32(column);
    return i32((picture[at / 4u] >> ((at % 4u) * 8u)) & 255u);
}

fn along(x: i32, y: i32) -> i32 {
    return pixel(x, y - 1) + 2 * pixel(x, y) + pixel(x, y + 1);
}

fn down(x: i32, y: i32) -> i32 {
    return pixel(x - 1, y) + 2 * pixel(x, y) + pixel(x + 1, y);
}

@compute @workgroup_size(64)
fn edges(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    // Workgroups are laid out in rows of up to 65,535.
    let word = (group.y * groups.x + group.x) * 64u + local;
    var packed = 0u;
    for (var k = 0u; k < 4u; k++) {
        let at = word * 4u + k;
        if at < arguments.width * arguments.height {
            let x = i32(at % arguments.width);
            let y = i32(at / arguments.width);
            let steep = abs(along(x + 1, y) - along(x - 1, y)) + abs(down(x, y + 1) - down(x, y - 1));
            packed |= u32(min(steep / 4, 255)) << (k * 8u);
        }
    }
    if word * 4u < arguments.width * arguments.height {
        edges_of_it[word] = packed;
    }
}
