// Which endpoints does node n1 in zone z1 choose? Every case an operator would draw on a whiteboard.
import t from "tap";
import { selectEndpoints } from "../../src/model/topology.js";
// Endpoints: name(flags hints); R ready, S serving only, T terminating, L local, - none; z: zone hints, n: node hints.
// Policies: iL, eL internal and external policy Local; X reachable from outside.
// Expected: cluster | local | reachable | usable anywhere.
const CASES = `
1 ordinary                             ; ; a(RL) b(R)                                          ; a b | - | a b | yes
2 nothing there                        ; ;                                                     ; - | - | - | no
3 all dark                             ; ; a(-) b(-)                                           ; - | - | - | no
4 rollout gap                          ; ; a(ST) b(STL)                                        ; a b | - | a b | yes
5 one left                             ; ; a(R) b(STL)                                         ; a | - | a | yes
6 limbo                                ; ; a(S)                                                ; - | - | - | no
7 published though dying               ; ; a(RTL) b(R)                                         ; a b | - | a b | yes
8 home first                           ; iL ; a(RL) b(R)                                       ; - | a | a | yes
9 nobody home                          ; iL ; b(R)                                             ; - | - | - | yes
10 dying at home                       ; iL ; a(STL) b(R)                                      ; - | a | a | yes
11 dying elsewhere                     ; iL ; b(ST)                                            ; - | - | - | yes
12 front door                          ; eL X ; a(RL) b(R)                                     ; a b | a | a b | yes
13 front door closing                  ; eL X ; a(STL) b(R)                                    ; b | a | a b | yes
14 no door in this family              ; eL ; a(RL) b(R)                                       ; a b | - | a b | yes
15 both strict                         ; iL eL X ; a(RL) b(R)                                  ; a b | a | a b | yes
16 both strict, none here              ; iL eL X ; b(R)                                        ; b | - | b | yes
17 both strict, remote dying           ; iL eL X ; b(ST)                                       ; b | - | b | yes
18 strict inside, open outside         ; iL X ; a(RL) b(R)                                     ; a b | a | a b | yes
19 last ones everywhere dying          ; eL X ; a(STL) b(ST)                                   ; a b | a | a b | yes
20 ready hides dying                   ; eL X ; a(RL) b(STL) c(R)                              ; a c | a | a c | yes
21 my zone                             ; ; a(R z:z1) b(R z:z2)                                 ; a | - | a | yes
22 shared zone                         ; ; a(R z:z1,z2) b(R z:z2)                              ; a | - | a | yes
23 one unhinted                        ; ; a(R z:z1) b(R)                                      ; a b | - | a b | yes
24 zone not served                     ; ; a(R z:z3) b(R z:z2)                                 ; a b | - | a b | yes
25 node without zone label             ; no-zone ; a(R z:z1) b(R z:z2)                         ; a b | - | a b | yes
26 unready unhinted is harmless        ; ; a(R z:z1) b(R z:z2) c(-)                            ; a | - | a | yes
27 only unready in my zone             ; ; a(- z:z1) b(R z:z2)                                 ; b | - | b | yes
28 hints and drain                     ; ; a(ST z:z1) b(ST z:z2)                               ; a b | - | a b | yes
29 my node                             ; ; a(R z:z1 n:n1) b(R z:z1 n:n2) c(R z:z2 n:n3)        ; a | - | a | yes
30 node falls back to zone             ; ; a(R z:z1 n:n2) b(R z:z1 n:n3) c(R z:z2 n:n4)        ; a b | - | a b | yes
31 node hint missing once              ; ; a(R z:z1 n:n1) b(R z:z1) c(R z:z2 n:n3)             ; a b | - | a b | yes
32 door ignores zone                   ; eL X ; a(RL z:z2) b(R z:z1)                           ; b | a | a b | yes
33 home ignores zone                   ; iL ; a(RL z:z2) b(R z:z1)                             ; - | a | a | yes
hint for the zone without a name       ; no-zone ; a(R z:) b(R z:z2)                           ; a b | - | a b | yes
hint for the node without a name       ; no-name ; a(R n:) b(R n:n2)                           ; a b | - | a b | yes
zone hints for a node without a name   ; no-name ; a(R z:z1) b(R z:z2)                         ; a | - | a | yes
strict inside, all dark                ; iL ; a(L) b(-)                                        ; - | - | - | no
limbo at home does not drain           ; iL ; a(SL) b(R)                                       ; - | - | - | yes
terminating and not serving            ; ; a(T)                                                ; - | - | - | no
front door closing, zone elsewhere     ; eL X ; a(STL z:z1) b(R z:z1) c(R z:z2)                ; b | a | a b | yes
front door closing, nobody left        ; eL X ; a(STL)                                         ; a | a | a | yes
`;
for (const line of CASES.trim().split("\n")) {
    const [name = "", given = "", drawing = "", expected = ""] = line.split(";").map((part) => part.trim());
    t.test(name, async (t) => {
        const endpoints = readEndpoints(drawing);
        const has = (word) => given.split(" ").includes(word);
        const uses = { usesCluster: !has("iL") || has("X"), usesLocal: has("iL") || (has("eL") && has("X")) };
        const node = { nodeName: has("no-name") ? "" : "n1", zone: has("no-zone") ? "" : "z1" };
        const chosen = selectEndpoints(endpoints, uses, node);
        const lists = [chosen.cluster, chosen.local, chosen.reachable].map(printEndpoints);
        t.equal([...lists, chosen.any ? "yes" : "no"].join(" | "), expected);
    });
}
t.test("the Cluster list serves as the reachable one where it holds the Local list", async (t) => {
    const endpoints = readEndpoints("a(RL) b(R)");
    const chosen = selectEndpoints(endpoints, { usesCluster: true, usesLocal: true }, { nodeName: "n1", zone: "" });
    t.equal(chosen.reachable, chosen.cluster);
});
function readEndpoints(drawing) {
    return [...drawing.matchAll(/(\w)\(([^)]*)\)/g)].map(([, name = "", words = ""]) => readEndpoint(name, words));
}
function readEndpoint(name, words) {
    const [flags = "", ...hints] = words.split(" ");
    const hinted = (kind) => hints.filter((hint) => hint.startsWith(kind)).flatMap((hint) => hint.slice(2).split(","));
    return {
        ip: name,
        port: 80,
        text: name,
        local: flags.includes("L"),
        ready: flags.includes("R"),
        serving: flags.includes("R") || flags.includes("S"),
        terminating: flags.includes("T"),
        zoneHints: hinted("z:"),
        nodeHints: hinted("n:"),
    };
}
function printEndpoints(endpoints) {
    return endpoints.length === 0 ? "-" : endpoints.map(({ ip }) => ip).join(" ");
}
