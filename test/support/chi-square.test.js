// Does the chi-square test agree with printed tables?
import t from "tap";
import { chiSquare, criticalValue } from "./chi-square.js";
// Printed tables of the distribution, at one in a thousand and at one in twenty.
const TABLE = [
    { degrees: 1, probability: 0.001, value: 10.828 },
    { degrees: 2, probability: 0.001, value: 13.816 },
    { degrees: 3, probability: 0.001, value: 16.266 },
    { degrees: 9, probability: 0.001, value: 27.877 },
    { degrees: 30, probability: 0.001, value: 59.703 },
    { degrees: 1, probability: 0.05, value: 3.841 },
    { degrees: 9, probability: 0.05, value: 16.919 },
];
for (const { degrees, probability, value } of TABLE) {
    t.equal(criticalValue(degrees, probability).toFixed(3), value.toFixed(3), `${degrees} degrees at ${probability}`);
}
t.equal(chiSquare([75, 75, 75, 75]), 0, "a perfect spread");
t.equal(chiSquare([100, 50]), 100 / 6, "two to one of 150");
