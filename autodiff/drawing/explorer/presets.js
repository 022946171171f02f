/* Expressions to begin with, each with what there is to see. */
const PRESETS = [
  { name: "a product and a quotient", text: "sin(x*y) + x/y", values: { x: 1, y: 2 },
    note: "Two paths lead from x to the result, so its adjoint is a sum of two terms." },
  { name: "a neuron", text: "tanh(w1*x1 + w2*x2 + b)", values: { w1: 0.5, x1: 1, w2: -1, x2: 0.8, b: 0.2 },
    note: "One reverse sweep gives the slopes by all weights. Move b far away: the neuron saturates, and every adjoint fades." },
  { name: "logistic loss", text: "log1p(exp(-y*(w*x + b)))", values: { y: 1, w: 0.8, x: 1.5, b: -0.3 }, ranges: { y: [-1, 1] },
    note: "The label y is 1 or -1. The more wrong the sign of w*x + b, the nearer the slope by b is to -y." },
  { name: "Newton's root", text: "((x + a/x)/2 + a/((x + a/x)/2))/2", values: { a: 2, x: 1 }, ranges: { a: [0.1, 10], x: [0.1, 10] },
    note: "Two steps of Newton's method for the root of a. The nearer they are to it, the less the start x matters, and the slope by a becomes 1/(2*sqrt(a))." },
  { name: "perturbation confusion", text: "x*(x + y)", values: { x: 1, y: 1 },
    note: "d/dx (x * d/dy (x + y)) is 1: the inner derivative is 1, the tangent of v2 = x + y with the seed y. One ε for both differentiations would make it 2: show all seeds at once, and look at v2. So each differentiation has an ε of its own." },
  { name: "a ReLU kink", text: "max(0, x)", values: { x: 0 },
    note: "At the kink no slope is right: both arguments of max share it. The difference quotient says so by its error." },
  { name: "an underflow", text: "sqrt(exp(-x))", values: { x: 740 }, ranges: { x: [600, 760] },
    note: "exp(-x) is so small from 708 on that it loses digits, and 0 from 746 on: the slope of the root is infinite there, and infinity times 0 is no number. exp(-x/2) has no such trouble." },
];
