import { svg } from "../base/dom.js";

/** A map of the world: land as dots, and a circle on each country by its number. */

/** Where there is land, from the north: ranges of longitudes each five degrees of latitude, between 75 and -55. */
const LAND = `-120 -80 -60 -20 55 60 95 115 135 150|-160 -65 -55 -22 20 30 65 180|-168 -65 -53 -40 -24 -14 12 180|-165 -95 -78 -65 -45 -43 5 12 13 170|-162 -158 -130 -80 -78 -60 -7 -1 8 14 20 140 155 162|-128 -56 -5 2 2 142|-124 -62 -1 145|-124 -74 -9 -1 15 22 26 125 127 129 140 142|-121 -76 -6 11 23 25 33 130 133 140|-116 -82 -10 34 35 50 51 121|-112 -98 -81 -80 -15 34 37 56 62 119 121 121|-105 -89 -77 -74 -17 39 41 57 73 86 93 110|-96 -84 -17 42 44 50 74 80 95 108 120 122|-85 -83 -75 -62 -14 50 76 79 98 99 104 108 123 125|-77 -52 -9 48 80 81 96 97 101 103 115 118 125 126|-80 -50 9 43 99 104 109 117 120 123 131 135|-81 -36 12 40 103 105 119 122 138 147|-78 -36 13 40 105 120 142 150|-75 -39 12 40 48 50 126 145|-70 -40 13 35 44 48 119 149|-70 -46 15 33 44 47 113 152|-71 -50 17 31 115 153|-72 -54 18 25 116 119 136 150|-73 -62 144 148 174 177|-74 -66 167 171|-74 -68|-70 -67`.split("|").map((row) => row.split(" ").map(Number));

/** Latitude and longitude of the middle of countries. */
const MIDDLES = new Map("AD42 2 AE24 54 AF34 66 AG17 -62 AL41 20 AM40 45 AO-12 18 AR-35 -65 AT47 14 AU-25 134 AZ40 48 BA44 18 BB13 -59 BD24 90 BE51 5 BF12 -2 BG43 25 BH26 51 BI-3 30 BJ9 2 BN4 115 BO-17 -65 BR-10 -53 BS24 -76 BT27 90 BW-22 24 BY53 28 BZ17 -89 CA57 -106 CD-3 23 CF7 20 CG-1 15 CH47 8 CI8 -6 CL-31 -71 CM6 12 CN36 103 CO4 -73 CR10 -84 CU22 -79 CV16 -24 CY35 33 CZ50 15 DE51 10 DJ12 43 DK56 10 DM15 -61 DO19 -71 DZ28 3 EC-1 -78 EE59 26 EG27 30 ER15 39 ES40 -4 ET9 40 FI63 26 FJ-18 178 FR46 2 GA-1 12 GB54 -2 GD12 -62 GE42 43 GF4 -53 GH8 -1 GL70 -40 GM13 -15 GN10 -11 GQ2 10 GR39 22 GT15 -90 GW12 -15 GY5 -59 HK22 114 HN15 -87 HR45 16 HT19 -72 HU47 19 ID-2 118 IE53 -8 IL31 35 IN22 79 IQ33 44 IR32 54 IS65 -19 IT43 12 JM18 -77 JO31 36 JP36 138 KE0 38 KG41 75 KH13 105 KM-12 43 KP40 127 KR36 128 KW29 48 KZ48 67 LA18 104 LB34 36 LC14 -61 LI47 10 LK7 81 LR6 -9 LS-30 28 LT55 24 LU50 6 LV57 25 LY27 18 MA32 -6 MC44 7 MD47 29 ME43 19 MG-20 47 MK42 22 ML17 -3 MM21 96 MN47 104 MO22 113 MR20 -10 MT36 14 MU-20 58 MV3 73 MW-13 34 MX24 -102 MY4 109 MZ-17 36 NA-22 17 NC-21 165 NE17 9 NG9 8 NI13 -85 NL52 5 NO62 10 NP28 84 NZ-42 172 OM21 56 PA9 -80 PE-10 -75 PG-6 145 PH12 123 PK30 70 PL52 19 PR18 -66 PS32 35 PT40 -8 PY-23 -58 QA25 51 RE-21 56 RO46 25 RS44 21 RU62 97 RW-2 30 SA24 44 SB-9 160 SC-5 55 SD15 30 SE62 16 SG1 104 SI46 15 SK49 20 SL8 -12 SM44 12 SN14 -14 SO5 46 SR4 -56 SS7 30 ST1 7 SV14 -89 SY35 39 SZ-27 31 TD15 19 TG8 1 TH15 101 TJ39 71 TL-9 126 TM39 59 TN34 10 TO-20 -175 TR39 35 TT11 -61 TW24 121 TZ-6 35 UA49 31 UG1 32 US39 -98 UY-33 -56 UZ42 64 VA42 12 VC13 -61 VE7 -66 VN16 107 VU-16 167 WS-14 -172 XK43 21 YE16 48 ZA-29 25 ZM-14 28 ZW-19 30".match(/[A-Z]{2}-?\d+ -?\d+/g).map((one) => [one.slice(0, 2), one.slice(2).split(" ").map(Number)]));

const [WIDTH, HEIGHT, LARGEST] = [360, 140, 14];
const x = (longitude) => longitude + 180;
const y = (latitude) => 80 - latitude;

/** Countries with their numbers as circles, the largest first, so that small ones lie above: `{code, x, y, r}`. Pure. */
export function circlesOf(counts) {
  const most = Math.max(0, ...counts.map(([, count]) => count));
  return counts.filter(([code, count]) => count > 0 && MIDDLES.has(code)).sort(([, one], [, other]) => other - one).map(([code, count]) => {
    const [latitude, longitude] = MIDDLES.get(code);
    return { code, x: x(longitude), y: y(latitude), r: Math.max(2.5, LARGEST * Math.sqrt(count / most)) };
  });
}

/** The map of `[code, count]`; for eyes only, beside a table of the same. `titleOf` says what a circle is. */
export function world(counts, titleOf) {
  const dots = LAND.flatMap((row, index) => {
    const found = [];
    for (let at = 0; at < row.length; at += 2) for (let longitude = row[at]; longitude <= row[at + 1]; longitude += 4) found.push(svg("circle", { cx: x(longitude), cy: y(75 - 5 * index), r: 1.1 }));
    return found;
  });
  return svg("svg.world", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": true }, svg("g.world-land", dots),
    circlesOf(counts).map((one) => svg("circle.world-country", { cx: one.x, cy: one.y, r: one.r }, svg("title", titleOf(one.code)))));
}
