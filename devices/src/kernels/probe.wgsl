// Each word becomes three times itself and its place.

struct Arguments {
    words: u32,
}

var<immediate> arguments: Arguments;

@group(0) @binding(0) var<storage, read_write> words: array<u32>;

@compute @workgroup_size(64)
fn probe(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = (group.y * groups.x + group.x) * 64u + local;
    if at < arguments.words {
        words[at] = words[at] * 3u + at;
    }
}
