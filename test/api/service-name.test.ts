// In which order do Services stand?
import t from "tap";
import { compareServices } from "../../src/api/service-name.ts";

// The namespace goes first: as text, "a-b/a" comes before "a/b".
const ORDERED = [
  { namespace: "a", name: "b" },
  { namespace: "a", name: "b-c" },
  { namespace: "a", name: "c" },
  { namespace: "a-b", name: "a" },
  { namespace: "b", name: "a" },
];

t.test("namespace, then name", async (t) => {
  for (const [at, one] of ORDERED.entries()) {
    for (const [index, other] of ORDERED.entries()) {
      t.equal(Math.sign(compareServices(one, other)), Math.sign(at - index), `${one.name} and ${other.name}`);
    }
  }
});
