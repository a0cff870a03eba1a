// A clock that is moved by hand.
import { setImmediate } from "node:timers/promises";
export class HandClock {
    #now = 0;
    #timers = [];
    now() {
        return this.#now;
    }
    after(delay, callback) {
        const timer = { at: this.#now + delay, callback };
        this.#timers.push(timer);
        return () => {
            this.#timers = this.#timers.filter((other) => other !== timer);
        };
    }
    /** Milliseconds until the next timer; undefined when none waits. */
    next() {
        const times = this.#timers.map(({ at }) => at - this.#now);
        return times.length === 0 ? undefined : Math.min(...times);
    }
    /** Moves on, lets every timer that is due go off in its turn, and lets what it began come to rest. */
    async advance(milliseconds) {
        const end = this.#now + milliseconds;
        for (;;) {
            const due = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
            if (!due)
                break;
            this.#timers = this.#timers.filter((timer) => timer !== due);
            this.#now = due.at;
            due.callback();
            await settle();
        }
        this.#now = end;
    }
}
/** Lets promises that are under way come to rest; what waits for the system takes several turns of the event loop. */
export async function settle() {
    for (let turn = 0; turn < 20; turn++)
        await setImmediate();
}
