// Are connections spread evenly, or is that too much for chance?
/** Pearson's statistic of counts that should all be equal. */
export function chiSquare(counts) {
    const total = counts.reduce((sum, count) => sum + count, 0);
    const even = total / counts.length;
    return counts.reduce((sum, count) => sum + (count - even) ** 2 / even, 0);
}
/** The value that chance exceeds with this probability, for `counts - 1` degrees of freedom (at least one). */
export function criticalValue(degrees, probability) {
    let [low, high] = [0, 1];
    while (excess(degrees, high) > probability)
        high *= 2;
    for (let step = 0; step < 60; step += 1) {
        const middle = (low + high) / 2;
        if (excess(degrees, middle) > probability)
            low = middle;
        else
            high = middle;
    }
    return high;
}
// The upper tail of the distribution: one minus the regularised incomplete gamma function, by its power series.
function excess(degrees, value) {
    const [shape, x] = [degrees / 2, value / 2];
    let term = 1 / shape;
    let sum = term;
    for (let at = shape + 1; term > sum * 1e-15; at += 1) {
        term *= x / at;
        sum += term;
    }
    return 1 - (sum * Math.exp(-x) * x ** shape) / gamma(shape);
}
function gamma(halves) {
    if (halves === 1)
        return 1;
    return halves === 0.5 ? Math.sqrt(Math.PI) : (halves - 1) * gamma(halves - 1);
}
