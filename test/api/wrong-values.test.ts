// Replaces every field of every kind of object by values of a wrong type, unknown words and numbers out of range.
import t from "tap";
import { readDocument } from "../../src/api/document.ts";
import { KINDS } from "../../src/api/object-name.ts";
import type { Kind } from "../../src/api/objects.ts";
import { fullObject, type Path, spoil } from "../support/full-objects.ts";

const WRONG: readonly unknown[] = [null, true, -1, 70_000, 0.5, "", "From The Future", [], [null], {}, { a: 1 }];

/** Fields without which there is no object, and single elements that are all there is of what makes it useful. */
const ESSENTIAL: Readonly<Record<Kind, RegExp>> = {
  Service: /^(kind|apiVersion|metadata|metadata\.name|metadata\.namespace|spec|spec\.ports|spec\.ipFamilies)$/,
  EndpointSlice:
    /^(kind|apiVersion|metadata|metadata\.(name|namespace|labels)|metadata\.labels\.kubernetes\.io\/service-name|addressType|ports|ports\.0(\..*)?|endpoints|endpoints\.0|endpoints\.0\.addresses(\.0)?)$/,
  Endpoints: /^(kind|apiVersion|metadata|metadata\.name|metadata\.namespace|subsets|subsets\.0)$/,
  Node: /^(kind|apiVersion|metadata|metadata\.name|metadata\.namespace|spec)$/,
  Pod: /^(kind|apiVersion|metadata|metadata\.name|metadata\.namespace)$/,
};

/** The paths of all fields and elements. */
function findPaths(raw: unknown, path: Path = []): readonly Path[] {
  const own = path.length === 0 ? [] : [path];
  if (Array.isArray(raw)) return [...own, ...raw.flatMap((each, index) => findPaths(each, [...path, index]))];
  if (typeof raw !== "object" || raw === null) return own;
  return [...own, ...Object.entries(raw).flatMap(([key, each]) => findPaths(each, [...path, key]))];
}

for (const kind of KINDS) {
  t.test(`a wrong value in a ${kind} costs the object only where it is essential`, async (t) => {
    const paths = findPaths(fullObject(kind));
    t.ok(paths.length > 10);
    for (const path of paths) {
      for (const value of WRONG) {
        const { objects, problems, passedOver } = readDocument(spoil(fullObject(kind), path, value), {});
        const where = `${path.join(".")} = ${JSON.stringify(value)}`;
        if (objects.length === 0) {
          t.ok(problems.length + passedOver.length > 0, `${where}: without the object there is a reason`);
          t.match(path.join("."), ESSENTIAL[kind], `${where}: ${problems[0]?.message}`);
        }
        for (const { place } of problems) t.ok(place.field, `${where}: a problem names its field`);
      }
    }
  });
}
