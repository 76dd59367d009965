//= vecAdd grid 98 1 1 | block 1024 1 1 | shared 0 | 800000B | 800000B | 800000B | 100000
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
__global__ void vecAdd(double *a, double *b, double *c, int n) {
    int id = blockIdx.x*blockDim.x+threadIdx.x;
    if (id < n) c[id] = a[id] + b[id];
}
int main( int argc, char* argv[] )
{
    int n = 100000;
    double *h_a; double *d_a;
    double *d_b, *d_c;
    size_t bytes = n*sizeof(double);
    h_a = (double*)malloc(bytes);
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_c, bytes);
    int i;
    for( i = 0; i < n; i++ ) { h_a[i] = sin(i)*sin(i); }
    int blockSize, gridSize;
    blockSize = 1024;
    gridSize = (int)ceil((float)n/blockSize);
    vecAdd<<<gridSize, blockSize>>>(d_a, d_b, d_c, n);
    return 0;
}
