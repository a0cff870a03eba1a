// Is a change written as the tools read it?
import t from "tap";
import { restoreText } from "../../src/plan/restore-text.ts";

t.test("one transaction for each table, in the order that makes it valid", async (t) => {
  const nat = {
    table: "nat",
    clear: ["A", "OLD"],
    rules: ["-D OUTPUT -j OLD", "-A A -j RETURN"],
    remove: ["OLD"],
  } as const;
  const mangle = { table: "mangle", clear: ["B"], rules: [], remove: [] } as const;
  t.strictSame(
    [...restoreText([nat, mangle])].join(""),
    `*nat
:A - [0:0]
:OLD - [0:0]
-D OUTPUT -j OLD
-A A -j RETURN
-X OLD
COMMIT
*mangle
:B - [0:0]
COMMIT
`,
  );
});

t.test("no change is no text", async (t) => t.strictSame([...restoreText([])], []));
