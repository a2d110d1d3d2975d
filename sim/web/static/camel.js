// @ts-check
/** Straw's camel: its back sags under the load, and breaks above the limit. */

import { circle, group, path, svg } from "./cards/svg.js";

const [LIGHT, HEAVY, BROKEN] = [12, 34, 56]; // the height of its back, downwards
const SACKS = 5; // the number of sacks at the limit

/** @param {number} share  the load as a part of the limit */
export function camel(share) {
  const isBroken = share > 1;
  const back = isBroken ? BROKEN : LIGHT + (HEAVY - LIGHT) * Math.max(share, 0) ** 2;
  const belly = isBroken ? 76 : 62 + (back - LIGHT) / 3;
  const legs = isBroken ? "M32 58L18 73M42 62L34 74M76 62L84 74M84 58L98 73" : "M33 54V74M42 56V74M75 56V74M83 54V74";
  const sacks = Array.from({ length: Math.round(Math.min(Math.max(share, 0), 1) * SACKS) }, (_, n) => circle(46 + (n % 3) * 10 + (n > 2 ? 5 : 0), back - 5 - (n > 2 ? 8 : 0), 5, "camel-sack"));
  return svg("svg", { viewBox: "0 -6 124 84" },
    path(legs, "camel-legs"),
    path("M24 44Q16 48 18 58", "camel-legs"),
    path(`M24 42C34 42 40 ${back} 56 ${back}C72 ${back} 78 42 88 42C94 42 96 34 97 24C97 18 100 14 106 14L115 18Q119 21 115 25L107 26C105 38 103 50 90 56C78 ${belly} 40 ${belly} 24 56Z`, "camel-body"),
    isBroken ? path("M104 17l5 4m0-4l-5 4", "camel-eye") : circle(106.500, 19, 1.500, "camel-dot"),
    group(...sacks));
}
