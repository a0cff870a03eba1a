// Do real packets end in IPVS mode where a walk over what the kernel holds says, whatever the cluster?
import fc from "fast-check";
import t, { type Test } from "tap";
import { type PacketScene, packetScenes } from "../support/arbitrary-packets.ts";
import { makePacketStage, showCluster } from "../support/packet-stage.ts";
import { takeSeed } from "../support/seed.ts";
import { testPacket } from "../support/walked-packet.ts";

t.setTimeout(900_000);

const seed = takeSeed();

/** FAIRLEAD_CLUSTERS is how many to try by hand: the guest is slow. */
const CLUSTERS = Number(process.env.FAIRLEAD_CLUSTERS ?? 1);

const PACKETS = 16;

const topology = await makePacketStage(t);

for (const [number, scene] of fc.sample(packetScenes(PACKETS), { seed, numRuns: CLUSTERS }).entries()) {
  await t.test(`cluster ${number}`, (t) => testScene(t, scene));
}

async function testScene(t: Test, scene: PacketScene): Promise<void> {
  const fields = await showCluster(scene);
  const ends: string[] = [];
  for (const packet of scene.packets) ends.push(...(await testPacket(t, { topology, fields }, packet)));
  const reached = ends.filter((end) => end.includes(" for ")).length;
  t.comment(`${ends.length} connections, ${reached} of them reached somebody`);
  const { settings, snapshot } = scene;
  if (!t.passing()) t.comment(JSON.stringify({ settings, services: [...snapshot.services] }));
}
