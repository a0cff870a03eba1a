// Time for a talk with a server that is moved by hand.
import type { Timing } from "../../src/source/timing.ts";
import { HandClock } from "./clock.ts";

export class HandTiming extends HandClock implements Timing {
  random(): number {
    return 0.5;
  }
}
