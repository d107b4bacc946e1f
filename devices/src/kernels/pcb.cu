// The passes of the board inspection in CUDA C, as vision/src/detect/passes.rs and
// vision/src/classify.rs describe them. pcb.ptx is what NVRTC makes of this file.
//
// A kernel has one thread for four pixels of a plane, or for each tile, or for each cost; they all
// take eight arguments, of which the first two are width and height.

typedef unsigned char u8;
typedef unsigned int u32;
typedef int i32;

#define KERNEL extern "C" __global__ void __launch_bounds__(64)
#define ARGUMENTS u32 width, u32 height, i32 p0, i32 p1, i32 p2, i32 p3, i32 p4, i32 p5

#define TILE 16u
#define LIGHT_REACH 4
#define GAIN_ONE 512u
#define BLOCK 64u
#define BLOCK_ROW_STEP 8u
#define SEARCH 10u
#define PLACES 21u

static __device__ u32 thread_number() {
    return (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
}

static __device__ u32 tiles_along(u32 length) {
    return (length + TILE - 1) / TILE;
}

static __device__ i32 clamp(i32 value, i32 least, i32 most) {
    return min(max(value, least), most);
}

// Sets `at` to each of the four pixels of a thread that the plane has.
#define FOR_MY_PIXELS(at)                                                                          \
    for (u32 at = thread_number() * 4, end = min(at + 4, width * height); at < end; at++)

static __device__ u32 tile_total(const u8 *plane, u32 tile, u32 width, u32 height, bool marks) {
    u32 left = tile % tiles_along(width) * TILE, top = tile / tiles_along(width) * TILE;
    u32 sum = 0;
    for (u32 y = top; y < min(top + TILE, height); y++) {
        for (u32 x = left; x < min(left + TILE, width); x++) {
            u32 pixel = plane[y * width + x];
            sum += marks ? pixel != 0 : pixel;
        }
    }
    return sum;
}

KERNEL tile_sums(const u8 *plane, u32 *sums, ARGUMENTS) {
    u32 tile = thread_number();
    if (tile < tiles_along(width) * tiles_along(height)) {
        sums[tile] = tile_total(plane, tile, width, height, false);
    }
}

KERNEL tile_counts(const u8 *marks, u32 *counts, ARGUMENTS) {
    u32 tile = thread_number();
    if (tile < tiles_along(width) * tiles_along(height)) {
        counts[tile] = tile_total(marks, tile, width, height, true);
    }
}

KERNEL light_gains(const u32 *golden_sums, const u32 *board_sums, u32 *gains, ARGUMENTS) {
    u32 tile = thread_number(), tiles_x = tiles_along(width), tiles_y = tiles_along(height);
    if (tile >= tiles_x * tiles_y) {
        return;
    }
    i32 i = tile % tiles_x, j = tile / tiles_x;
    u32 golden = 0, board = 0;
    for (i32 near_j = max(j - LIGHT_REACH, 0); near_j <= min(j + LIGHT_REACH, (i32)tiles_y - 1);
         near_j++) {
        for (i32 near_i = max(i - LIGHT_REACH, 0);
             near_i <= min(i + LIGHT_REACH, (i32)tiles_x - 1); near_i++) {
            golden += golden_sums[near_j * tiles_x + near_i];
            board += board_sums[near_j * tiles_x + near_i];
        }
    }
    board = max(board, 1u);
    u32 gain = (golden * GAIN_ONE + board / 2) / board;
    gains[tile] = min(max(gain, GAIN_ONE / 4), GAIN_ONE * 4);
}

struct Between {
    u32 first, second, weight;
};

// The tiles on both sides of a pixel along one axis, and the weight of the second in 1/32.
static __device__ Between between_tiles(u32 pixel, u32 tiles) {
    i32 q = 2 * (i32)pixel + 1 - (i32)TILE, last = (i32)tiles - 1;
    return {(u32)clamp(q >> 5, 0, last), (u32)clamp((q >> 5) + 1, 0, last), (u32)(q & 31)};
}

KERNEL even_light(const u8 *board, const u32 *gains, u8 *even, ARGUMENTS) {
    u32 tiles_x = tiles_along(width), tiles_y = tiles_along(height);
    FOR_MY_PIXELS(at) {
        Between across = between_tiles(at % width, tiles_x);
        Between down = between_tiles(at / width, tiles_y);
        const u32 *upper = gains + down.first * tiles_x, *lower = gains + down.second * tiles_x;
        u32 left = upper[across.first] * (32 - down.weight) + lower[across.first] * down.weight;
        u32 right = upper[across.second] * (32 - down.weight) + lower[across.second] * down.weight;
        u32 gain = (left * (32 - across.weight) + right * across.weight + 512) >> 10;
        even[at] = (u8)min((board[at] * gain + GAIN_ONE / 2) / GAIN_ONE, 255u);
    }
}

KERNEL block_costs(const u8 *golden, const u8 *board, u32 *costs, ARGUMENTS) {
    u32 cost = thread_number();
    u32 blocks_x = (width - 2 * SEARCH) / BLOCK, blocks_y = (height - 2 * SEARCH) / BLOCK;
    if (cost >= blocks_x * blocks_y * PLACES * PLACES) {
        return;
    }
    u32 u = cost % PLACES, v = cost / PLACES % PLACES, block = cost / (PLACES * PLACES);
    u32 left = SEARCH + block % blocks_x * BLOCK, top = SEARCH + block / blocks_x * BLOCK;
    u32 sum = 0;
    for (u32 row = 0; row < BLOCK; row += BLOCK_ROW_STEP) {
        const u8 *one = board + (top + row) * width + left;
        const u8 *other = golden + (top + row + v - SEARCH) * width + left + u - SEARCH;
        for (u32 x = 0; x < BLOCK; x++) {
            i32 difference = (i32)one[x] - (i32)other[x];
            sum += (u32)(difference * difference);
        }
    }
    costs[cost] = sum;
}

KERNEL warp(const u8 *golden, u8 *warped, ARGUMENTS) {
    i32 last_x = (i32)width - 1, last_y = (i32)height - 1;
    FOR_MY_PIXELS(at) {
        i32 x = at % width, y = at / width;
        i32 across = x - (i32)(width / 2), down = y - (i32)(height / 2);
        i32 at_x = (x << 16) + p0 + p1 * across + p2 * down;
        i32 at_y = (y << 16) + p3 + p4 * across + p5 * down;
        i32 left = clamp(at_x >> 16, 0, last_x), right = clamp((at_x >> 16) + 1, 0, last_x);
        const u8 *upper = golden + clamp(at_y >> 16, 0, last_y) * (i32)width;
        const u8 *lower = golden + clamp((at_y >> 16) + 1, 0, last_y) * (i32)width;
        u32 fx = (at_x >> 8) & 255, fy = (at_y >> 8) & 255;
        u32 above = upper[left] * (256 - fx) + upper[right] * fx;
        u32 below = lower[left] * (256 - fx) + lower[right] * fx;
        warped[at] = (u8)((above * (256 - fy) + below * fy + 32768) >> 16);
    }
}

KERNEL mark(const u8 *low, const u8 *high, const u8 *board, u8 *marks, ARGUMENTS) {
    FOR_MY_PIXELS(at) {
        i32 brighter = max((i32)board[at] - (i32)high[at], 0);
        i32 darker = max((i32)low[at] - (i32)board[at], 0);
        i32 difference = brighter - darker;
        marks[at] = (u8)((difference >= p0) | ((difference <= -p0) << 1));
    }
}

KERNEL keep_clustered(const u8 *marks, u8 *kept, ARGUMENTS) {
    FOR_MY_PIXELS(at) {
        u8 mark = marks[at];
        i32 x = at % width, y = at / width, like = 0;
        for (i32 row = max(y - 1, 0); mark && row <= min(y + 1, (i32)height - 1); row++) {
            for (i32 column = max(x - 1, 0); column <= min(x + 1, (i32)width - 1); column++) {
                like += marks[row * (i32)width + column] == mark;
            }
        }
        kept[at] = like >= p0 ? mark : 0;
    }
}

// ---- The classifier: a block of threads looks at one box. ----

#define MARGIN 12u
#define PIECE_MIN 6u
#define TOUCH 2
#define PRINT_REACH 2
#define DIFFERENCE_MIN 14
#define NONE 0xffffffffu

// Bits of a pixel of the crop, and of the count of a piece.
enum { WAS_COPPER = 1, IS_COPPER = 2, BRIGHTER = 4, DARKER = 8 };
#define MARKED 0x80000000u
#define TOUCHED 0x40000000u
#define COUNT 0x3fffffffu

struct Box {
    u32 x, y, width, height;
};

// The crop of a box: its scratch is bits, labels of what was, labels of what is, and counts.
struct Crop {
    u32 left, top, width, height, area;
    volatile u32 *bits, *before, *now, *counts;
};

#define FOR_MY_PLACES(at) for (u32 at = threadIdx.x; at < crop.area; at += blockDim.x)
#define FOR_AROUND(at, reach, near)                                                                \
    for (i32 row = max((i32)(at / crop.width) - (reach), 0);                                       \
         row <= min((i32)(at / crop.width) + (reach), (i32)crop.height - 1); row++)                \
        for (i32 column = max((i32)(at % crop.width) - (reach), 0), near = 0;                      \
             near = row * (i32)crop.width + column,                                                \
                 column <= min((i32)(at % crop.width) + (reach), (i32)crop.width - 1);             \
             column++)

static __device__ void lower(volatile u32 *place, u32 value) {
    atomicMin((u32 *)place, value);
}

// Each pixel of copper takes the least label around it until none changes.
static __device__ void settle(const Crop &crop, volatile u32 *labels, u32 copper) {
    FOR_MY_PLACES(at) {
        labels[at] = crop.bits[at] & copper ? at : NONE;
    }
    __syncthreads();
    bool moved;
    do {
        moved = false;
        FOR_MY_PLACES(at) {
            u32 own = labels[at], least = own;
            if (own == NONE) {
                continue;
            }
            FOR_AROUND(at, 1, near) {
                least = min(least, labels[near]);
            }
            least = min(least, labels[least]);
            if (least < own) {
                lower(labels + at, least);
                lower(labels + own, least);
                moved = true;
            }
        }
    } while (__syncthreads_or(moved));
    FOR_MY_PLACES(at) {
        crop.counts[at] = 0;
    }
    __syncthreads();
}

static __device__ void pieces_joined(const Crop &crop, u32 changed, u32 *pieces) {
    settle(crop, crop.before, WAS_COPPER);
    settle(crop, crop.now, IS_COPPER | changed);
    FOR_MY_PLACES(at) {
        if (crop.bits[at] & changed) {
            atomicOr((u32 *)crop.counts + crop.now[at], MARKED);
        }
    }
    __syncthreads();
    FOR_MY_PLACES(at) {
        u32 piece = crop.now[at], was = crop.before[at];
        if (!(crop.bits[at] & changed) && piece != NONE && was != NONE) {
            if (crop.counts[piece] & MARKED) {
                atomicAdd((u32 *)crop.counts + was, 1);
            }
        }
    }
    __syncthreads();
    FOR_MY_PLACES(at) {
        if ((crop.counts[at] & COUNT) >= PIECE_MIN) {
            atomicAdd(pieces, 1);
        }
    }
}

static __device__ void pieces_left(const Crop &crop, u32 changed, u32 *pieces) {
    settle(crop, crop.before, WAS_COPPER);
    settle(crop, crop.now, IS_COPPER);
    FOR_MY_PLACES(at) {
        if (crop.bits[at] & changed && crop.before[at] != NONE) {
            atomicOr((u32 *)crop.counts + crop.before[at], MARKED);
        }
    }
    __syncthreads();
    FOR_MY_PLACES(at) {
        if (crop.now[at] != NONE) {
            atomicAdd((u32 *)crop.counts + crop.now[at], 1);
        }
        if (!(crop.bits[at] & changed)) {
            continue;
        }
        FOR_AROUND(at, TOUCH, near) {
            u32 was = crop.before[near], left = crop.now[near];
            if (was != NONE && left != NONE && crop.counts[was] & MARKED) {
                atomicOr((u32 *)crop.counts + left, TOUCHED);
            }
        }
    }
    __syncthreads();
    FOR_MY_PLACES(at) {
        u32 count = crop.counts[at];
        if (count & TOUCHED && (count & COUNT) >= PIECE_MIN) {
            atomicAdd(pieces, 1);
        }
    }
}

static __device__ bool is_printed(const u8 *golden, u32 x, u32 y, u32 width, u32 height, i32 least) {
    for (i32 row = max((i32)y - PRINT_REACH, 0); row <= min((i32)y + PRINT_REACH, (i32)height - 1);
         row++) {
        for (i32 column = max((i32)x - PRINT_REACH, 0);
             column <= min((i32)x + PRINT_REACH, (i32)width - 1); column++) {
            if (golden[row * (i32)width + column] >= least) {
                return true;
            }
        }
    }
    return false;
}

// Its own arguments: the least of copper, the least of print, the most of a hole, how many boxes.
// The boxes are followed by as many more, whose first word is the place of the scratch of each.
KERNEL classify(const u8 *golden, const u8 *board, const Box *boxes, u32 *scratch, u32 *results,
                ARGUMENTS) {
    __shared__ i32 sum;
    __shared__ u32 total, differences, changes, holes, pieces;
    Box box = boxes[blockIdx.x];
    Crop crop;
    crop.left = max(box.x, MARGIN) - MARGIN;
    crop.top = max(box.y, MARGIN) - MARGIN;
    crop.width = min(box.x + box.width + MARGIN, width) - crop.left;
    crop.height = min(box.y + box.height + MARGIN, height) - crop.top;
    crop.area = crop.width * crop.height;
    crop.bits = scratch + boxes[blockIdx.x + p3].x;
    crop.before = crop.bits + crop.area;
    crop.now = crop.before + crop.area;
    crop.counts = crop.now + crop.area;
    if (threadIdx.x == 0) {
        sum = 0;
        total = differences = changes = holes = pieces = 0;
    }
    __syncthreads();
    FOR_MY_PLACES(at) {
        u32 x = crop.left + at % crop.width, y = crop.top + at / crop.width;
        i32 was = golden[y * width + x], is = board[y * width + x];
        u32 bits = 0;
        if (!is_printed(golden, x, y, width, height, p1)) {
            bits |= was >= p0 ? WAS_COPPER : 0;
            bits |= is >= p0 ? IS_COPPER : 0;
        }
        bool inside = x >= box.x && y >= box.y && x < box.x + box.width && y < box.y + box.height;
        i32 difference = is - was;
        if (inside && abs(difference) >= DIFFERENCE_MIN) {
            bits |= difference > 0 ? BRIGHTER : DARKER;
            atomicAdd(&sum, difference);
            atomicAdd(&total, (u32)abs(difference));
            atomicAdd(&differences, 1);
        }
        crop.bits[at] = bits;
    }
    __syncthreads();
    bool added = sum >= 0;
    u32 changed = added ? BRIGHTER : DARKER;
    FOR_MY_PLACES(at) {
        if (crop.bits[at] & changed) {
            atomicAdd(&changes, 1);
            u32 x = crop.left + at % crop.width, y = crop.top + at / crop.width;
            if (golden[y * width + x] <= p2) {
                atomicAdd(&holes, 1);
            }
        }
    }
    __syncthreads();
    bool was_hole = holes > 0 && holes * 3 >= changes;
    if (!added) {
        pieces_left(crop, changed, &pieces);
    } else if (!was_hole) {
        pieces_joined(crop, changed, &pieces);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        // Missing hole, mouse bite, open circuit, short, spur, spurious copper: 0 to 5.
        u32 kind = 0;
        if (!added) {
            kind = pieces > 1 ? 2 : 1;
        } else if (!was_hole) {
            kind = pieces == 0 ? 5 : pieces == 1 ? 4 : 3;
        }
        results[blockIdx.x * 4] = kind;
        results[blockIdx.x * 4 + 1] = differences;
        results[blockIdx.x * 4 + 2] = total;
        results[blockIdx.x * 4 + 3] = 0;
    }
}

// Does the device still do what it should? Each word becomes three times itself and its place.
KERNEL probe(u32 *words, u32 count) {
    u32 at = thread_number();
    if (at < count) {
        words[at] = words[at] * 3 + at;
    }
}
