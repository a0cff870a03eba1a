// How does a test speak to its process inside a network namespace?
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
const PROGRAM = fileURLToPath(new URL("agent.mjs", import.meta.url));
/** A process inside one namespace. It ends with `close`, and with the test process. */
export class Agent {
    #child;
    #waiting = new Map();
    #asked = 0;
    /** `path` is the namespace's file under /run/netns. */
    constructor(path) {
        this.#child = spawn("nsenter", [`--net=${path}`, process.execPath, PROGRAM], {
            stdio: ["pipe", "pipe", "inherit"],
        });
        createInterface({ input: this.#child.stdout }).on("line", (line) => this.#settle(line));
        this.#child.on("exit", () => this.#fail(new Error("the process inside the namespace has ended")));
        this.#child.on("error", (error) => this.#fail(error));
    }
    /** Makes exactly these sockets listen. */
    listen(listeners) {
        return this.#ask("listen", listeners);
    }
    probe(probe) {
        return this.#ask("probe", probe);
    }
    /** Writes kernel settings of the namespace; keys are paths under /proc/sys. */
    sysctl(values) {
        return this.#ask("sysctl", values);
    }
    close() {
        const ended = new Promise((resolve) => this.#child.once("close", () => resolve()));
        this.#child.stdin.end();
        return ended;
    }
    #ask(action, argument) {
        this.#asked += 1;
        const id = this.#asked;
        return new Promise((resolve, reject) => {
            this.#waiting.set(id, { resolve, reject });
            this.#child.stdin.write(`${JSON.stringify({ id, action, argument })}\n`);
        });
    }
    #settle(line) {
        const { id, result, error } = JSON.parse(line);
        const waiting = this.#waiting.get(id);
        this.#waiting.delete(id);
        if (error === undefined)
            waiting?.resolve(result);
        else
            waiting?.reject(new Error(error));
    }
    #fail(reason) {
        for (const { reject } of this.#waiting.values())
            reject(reason);
        this.#waiting.clear();
    }
}
