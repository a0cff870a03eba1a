// Is bad input told apart from a fault of ours?
import t from "tap";
import { orRefusal } from "../../src/commands/refusal.ts";
import { InputError } from "../../src/errors.ts";

const refused = new InputError({ field: "to" }, "is missing");

t.equal(
  orRefusal(() => 5),
  5,
  "a result",
);
t.equal(
  orRefusal(() => {
    throw refused;
  }),
  refused,
  "a refusal",
);
t.throws(() => orRefusal(failing), TypeError, "a fault");

function failing(): never {
  throw new TypeError("a fault");
}
