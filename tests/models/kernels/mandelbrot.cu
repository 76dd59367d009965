#include "../../../kernels/divergence/mandelbrot.cu"
