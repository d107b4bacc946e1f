// Edges by Sobel's operator: the same as edges.wgsl, for CUDA. edges.ptx is what NVRTC makes of it.

struct Picture {
    const unsigned char *pixels;
    int width, height;

    __device__ int at(int x, int y) const {
        x = min(max(x, 0), width - 1);
        y = min(max(y, 0), height - 1);
        return pixels[y * width + x];
    }

    __device__ int along(int x, int y) const {
        return at(x, y - 1) + 2 * at(x, y) + at(x, y + 1);
    }

    __device__ int down(int x, int y) const {
        return at(x - 1, y) + 2 * at(x, y) + at(x + 1, y);
    }
};

// First the buffers, then the arguments, in the order in which the line file lists them.
extern "C" __global__ void edges(const unsigned char *picture, unsigned char *edges_of_it,
                                 unsigned width, unsigned height) {
    unsigned word = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    Picture of = {picture, (int)width, (int)height};
    for (unsigned at = word * 4; at < min(word * 4 + 4, width * height); at++) {
        int x = at % width, y = at / width;
        int steep = abs(of.along(x + 1, y) - of.along(x - 1, y)) +
                    abs(of.down(x, y + 1) - of.down(x, y - 1));
        edges_of_it[at] = (unsigned char)min(steep / 4, 255);
    }
}
