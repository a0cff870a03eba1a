// How does a test get a raw object with one field changed?
import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
const TEXT = readFileSync(new URL("../../fixtures/manifests/full.yaml", import.meta.url), "utf8");
const OBJECTS = parseAllDocuments(TEXT).map((document) => document.toJS());
/** A raw object in which every field that is read has a value. */
export function fullObject(kind) {
    return OBJECTS.find((object) => object.kind === kind);
}
/** A copy with another value at the path; `undefined` takes the field away, missing objects on the way are made. */
export function spoil(raw, path, value) {
    const [step, ...rest] = path;
    if (step === undefined)
        return value;
    if (Array.isArray(raw))
        return raw.map((element, index) => (index === step ? spoil(element, rest, value) : element));
    const fields = typeof raw === "object" && raw !== null ? Object.entries(raw) : [];
    const old = fields.find(([key]) => key === step)?.[1];
    const now = spoil(old, rest, value);
    const others = fields.filter(([key]) => key !== step);
    return Object.fromEntries(now === undefined ? others : [...others, [step, now]]);
}
/** The paths of all texts inside. */
export function findTexts(raw, path = []) {
    if (typeof raw === "string")
        return [path];
    if (Array.isArray(raw))
        return raw.flatMap((element, index) => findTexts(element, [...path, index]));
    if (typeof raw !== "object" || raw === null)
        return [];
    return Object.entries(raw).flatMap(([key, element]) => findTexts(element, [...path, key]));
}
