/* Values and gradients written by hand: the limit of benchmarks/compiled.py. No -ffast-math: sums and loops are vectors
   where a pragma says so, elementary functions are those of libmvec where there is one. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#if defined(LIBMVEC)
#define VECTOR __attribute__((simd("notinbranch")))
VECTOR double exp(double);
VECTOR double log(double);
VECTOR double sin(double);
VECTOR double cos(double);
VECTOR double tanh(double);
VECTOR double erf(double);
#endif

void regression(long n, const double *x, const double *y, const double *line, double *out) {
    double slope = line[0], intercept = line[1], total = 0, by_slope = 0, by_intercept = 0;
#pragma omp simd reduction(+ : total, by_slope, by_intercept)
    for (long k = 0; k < n; k++) {
        double error = slope * x[k] + intercept - y[k];
        total += error * error;
        by_slope += error * x[k];
        by_intercept += error;
    }
    out[0] = total;
    out[1] = 2 * by_slope;
    out[2] = 2 * by_intercept;
}

void rosenbrock(long n, const double *restrict x, double *restrict slopes) {
    slopes[0] = -400 * x[0] * (x[1] - x[0] * x[0]) - 2 * (1 - x[0]);
#pragma omp simd
    for (long k = 1; k < n - 1; k++)
        slopes[k] = 200 * (x[k] - x[k - 1] * x[k - 1]) - 400 * x[k] * (x[k + 1] - x[k] * x[k]) - 2 * (1 - x[k]);
    slopes[n - 1] = 200 * (x[n - 1] - x[n - 2] * x[n - 2]);
}

void elementwise(long n, const double *restrict x, double *restrict slopes) {
#pragma omp simd
    for (long k = 0; k < n; k++) {
        double e = exp(x[k]), l = log(x[k]), t = tanh(x[k]);
        slopes[k] = e * (l * t + t / x[k] + l * (1 - t * t)) + cos(x[k]);
    }
}

void log_sum_exp(long n, const double *restrict x, double *restrict slopes) {
    double highest = x[0], sum = 0;
#pragma omp simd reduction(max : highest)
    for (long k = 0; k < n; k++) highest = x[k] > highest ? x[k] : highest;
#pragma omp simd reduction(+ : sum)
    for (long k = 0; k < n; k++) sum += slopes[k] = exp(x[k] - highest);
    sum = 1 / sum;
#pragma omp simd
    for (long k = 0; k < n; k++) slopes[k] *= sum;
}

void black_scholes(long n, const double *restrict spot, const double *restrict strike, const double *restrict rate,
                   const double *restrict volatility, const double *restrict time, double *restrict out) {
    double *by_spot = out + 1, *by_strike = by_spot + n, *by_rate = by_strike + n, *by_volatility = by_rate + n,
           *by_time = by_volatility + n, total = 0;
#pragma omp simd reduction(+ : total)
    for (long k = 0; k < n; k++) {
        double s = spot[k], v = volatility[k], t = time[k], r = rate[k], root = sqrt(t);
        double d1 = (log(s / strike[k]) + (r + 0.5 * v * v) * t) / (v * root), d2 = d1 - v * root;
        double first = 0.5 * (1 + erf(d1 * 0.70710678118654752440)), second = 0.5 * (1 + erf(d2 * 0.70710678118654752440));
        double discount = exp(-r * t), density = s * exp(-0.5 * d1 * d1) * 0.39894228040143267794;
        double later = strike[k] * discount * second;
        total += s * first - later;
        by_spot[k] = first;
        by_strike[k] = -discount * second;
        by_rate[k] = t * later;
        by_volatility[k] = density * root;
        by_time[k] = 0.5 * density * v / root + r * later;
    }
    out[0] = total;
}

/* work: the filtered signal, and its adjoints */
void filter(long n, const double *signal, const double *by, double *work, double *out) {
    double *restrict y = work, *restrict a = work + n, first = 0, second = 0;
    memcpy(y, signal, sizeof(double) * n);
    for (long k = 2; k < n; k++) y[k] += by[0] * y[k - 1] + by[1] * y[k - 2];
    for (long k = 0; k < n; k++) a[k] = 2 * y[k];
    for (long k = n - 1; k > 1; k--) {
        first += a[k] * y[k - 1];
        second += a[k] * y[k - 2];
        a[k - 1] += by[0] * a[k];
        a[k - 2] += by[1] * a[k];
    }
    memcpy(out, a, sizeof(double) * n);
    out[n] = first;
    out[n + 1] = second;
}

static void spread(long n, const double *restrict u, double by, double *restrict to) {
    for (long i = 1; i < n - 1; i++)
#pragma omp simd
        for (long k = i * n + 1; k < i * n + n - 1; k++)
            to[k] = u[k] + by * (u[k + n] + u[k - n] + u[k + 1] + u[k - 1] - 4 * u[k]);
}

/* the adjoint of a wall does not come back from it, but what its neighbours read of it does */
static double spread_back(long n, const double *restrict u, double by, const double *restrict a, double *restrict to) {
    double slope = 0;
    memcpy(to, a, sizeof(double) * n * n);
    for (long i = 1; i < n - 1; i++) {
#pragma omp simd reduction(+ : slope)
        for (long k = i * n + 1; k < i * n + n - 1; k++)
            slope += a[k] * (u[k + n] + u[k - n] + u[k + 1] + u[k - 1] - 4 * u[k]);
#pragma omp simd
        for (long k = i * n + 1; k < i * n + n - 1; k++) to[k] -= 4 * by * a[k];
#pragma omp simd
        for (long k = i * n + 1; k < i * n + n - 1; k++) to[k - n] += by * a[k];
#pragma omp simd
        for (long k = i * n + 1; k < i * n + n - 1; k++) to[k + n] += by * a[k];
        for (long k = i * n + 1; k < i * n + n - 1; k++) to[k - 1] += by * a[k];
        for (long k = i * n + 1; k < i * n + n - 1; k++) to[k + 1] += by * a[k];
    }
    return slope;
}

/* work: steps + 3 grids; the last two hold adjoints */
void heat(long n, long steps, const double *start, const double *diffusivity, double *work, double *out) {
    long size = n * n;
    double by = *diffusivity, slope = 0, *a = work + (steps + 1) * size, *b = a + size, *swap;
    for (long k = 0; k <= steps; k++) memcpy(work + k * size, start, sizeof(double) * size);
    for (long k = 0; k < steps; k++) spread(n, work + k * size, by, work + (k + 1) * size);
    for (long k = 0; k < size; k++) a[k] = 2 * work[steps * size + k];
    for (long k = steps - 1; k >= 0; k--) {
        slope += spread_back(n, work + k * size, by, a, b);
        swap = a, a = b, b = swap;
    }
    memcpy(out, a, sizeof(double) * size);
    out[size] = slope;
}

void lennard_jones(long n, const double *positions, double *slopes) {
    memset(slopes, 0, sizeof(double) * 3 * n);
    for (long i = 0; i < n; i++)
        for (long j = i + 1; j < n; j++) {
            const double *p = positions + 3 * i, *q = positions + 3 * j;
            double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2], inverse = 1 / (x * x + y * y + z * z);
            double attraction = inverse * inverse * inverse;
            double slope = -24 * (2 * attraction * attraction - attraction) * inverse;
            slopes[3 * i] += slope * x, slopes[3 * i + 1] += slope * y, slopes[3 * i + 2] += slope * z;
            slopes[3 * j] -= slope * x, slopes[3 * j + 1] -= slope * y, slopes[3 * j + 2] -= slope * z;
        }
}

void descent(long n, long d, long steps, const double *rate, const double *start, const double *x,
             const double *signs, double *weights) {
    double terms[n], slopes[d];
    memcpy(weights, start, sizeof(double) * d);
    for (long step = 0; step < steps; step++) {
        for (long i = 0; i < n; i++) {
            double sum = 0;
            for (long k = 0; k < d; k++) sum += x[i * d + k] * weights[k];
            terms[i] = sum * signs[i];
        }
#pragma omp simd
        for (long i = 0; i < n; i++) terms[i] = signs[i] / (1 + exp(terms[i]));
        memset(slopes, 0, sizeof slopes);
        for (long i = 0; i < n; i++)
            for (long k = 0; k < d; k++) slopes[k] += terms[i] * x[i * d + k];
        for (long k = 0; k < d; k++) weights[k] += *rate / n * slopes[k];
    }
}

void adam(long n, long d, long steps, const double *rate, const double *start, const double *x, const double *signs,
          double *weights) {
    double terms[n], slopes[d], means[d], squares[d], first = 1, second = 1;
    memcpy(weights, start, sizeof(double) * d);
    memset(means, 0, sizeof means), memset(squares, 0, sizeof squares);
    for (long step = 0; step < steps; step++) {
        for (long i = 0; i < n; i++) {
            double sum = 0;
            for (long k = 0; k < d; k++) sum += x[i * d + k] * weights[k];
            terms[i] = sum * signs[i];
        }
#pragma omp simd
        for (long i = 0; i < n; i++) terms[i] = signs[i] / (1 + exp(terms[i]));
        memset(slopes, 0, sizeof slopes);
        for (long i = 0; i < n; i++)
            for (long k = 0; k < d; k++) slopes[k] -= terms[i] * x[i * d + k] / n;
        first *= 0.9, second *= 0.999;
        for (long k = 0; k < d; k++) {
            means[k] = 0.9 * means[k] + (1 - 0.9) * slopes[k];
            squares[k] = 0.999 * squares[k] + (1 - 0.999) * slopes[k] * slopes[k];
            weights[k] -= *rate / (1 - first) * means[k] / (sqrt(squares[k] / (1 - second)) + 1e-8);
        }
    }
}

/* By tangents of the three inputs, which are carried along with the state: fewer operations than a sweep back. */
void implicit_steps(long steps, long iterations, const double *dt, const double *given, double *out) {
    double h = *dt, m = given[2], x = given[0], v = given[1], x_by[3] = {1, 0, 0}, v_by[3] = {0, 1, 0};
    for (long step = 0; step < steps; step++) {
        double from = x, before = v;
        for (long k = 0; k < iterations; k++) {
            double moved = x - from - h * v, turned = v - before - h * (m * (1 - x * x) * v - x);
            double by_x = h * (2 * m * x * v + 1), by_v = 1 - h * m * (1 - x * x);
            double change = (by_x * moved - turned) / (by_v + h * by_x);
            x += h * change - moved, v += change;
        }
        /* at the solution both residuals are zero, and so are their derivatives */
        double by_x = h * (2 * m * x * v + 1), by_v = 1 - h * m * (1 - x * x), whole = 1 / (by_v + h * by_x);
        for (int k = 0; k < 3; k++) {
            double given_v = v_by[k] + (k == 2) * h * (1 - x * x) * v;
            v_by[k] = (given_v - by_x * x_by[k]) * whole;
            x_by[k] += h * v_by[k];
        }
    }
    memcpy(out, x_by, sizeof x_by);
}
