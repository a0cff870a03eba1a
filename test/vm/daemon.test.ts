// What does the node proxy make of a kernel that has IPVS?
import t from "tap";
import { isOfDaemon, testInGuest } from "../support/in-guest.ts";
import { limitTime } from "../support/time-limit.ts";
import { vmReason } from "../support/vm.ts";

limitTime(890_000);

t.test("in the guest", { skip: vmReason() }, (t) => testInGuest(t, "daemon", isOfDaemon));
