import { expect, test } from "vitest";
import { findRequestViolation } from "../../../src/contract/request-rules.js";
import { isPublicHttpUrl } from "../../../src/contract/upload-address.js";

// Input for provider_a, upload: publicly accessible. More cases: test/spec/tables/requests/upload-addresses.ts.

const PUBLIC = [
  "https://example.com/song.mp3",
  "http://example.com",
  "HTTPS://EXAMPLE.COM/A",
  "hTTp://example.com",
  "https://example.com.",
  "https://example.com:8443/a?b=c#d",
  "https://user:word@example.com/",
  "https://intranet/",
  "http://nas:8080/a.mp3",
  "http://router.lan/",
  "https://notlocalhost/",
  "https://internal.example/",
  "https://mylocal/",
  "https://8.8.8.8./",
  "https://0x08080808/",
  "https://1.1/",
  "https://[2001:4860:4860::8888]/",
  "https://[2001:200::1]/",
  "https://[2a00:1450:4001:81b::200e]:8080/x",
  "https://[2606:4700:1:2:3:4:5:6]/",
  "https://[2606:4700::]/",
  "https://[::ffff:192.0.3.1]/",
  "https://[64:ff9b::203.0.114.1]/",
  "https://[2002:c000:301::1]/",
  "https://10.0.0.1.example.com/",
  "https://1.example.com/",
  "https://[2002:808:808::1]/",
];

const REFUSED = [
  // Not HTTP URLs.
  "",
  " ",
  "data:audio/mp3,x",
  "javascript:alert(1)",
  "https://",
  "https://[::1/",
  "https://999.1.1.1/",
  "https://0x1ffffffff/",
  // Host names with empty labels.
  "http://./",
  "http://../",
  "http://example..com/",
  "http://example.com../",
  // Host names of the machine or its local network.
  "http://LOCALHOST:3000/",
  "http://localhost../",
  "http://api.localhost/",
  "http://api.localhost./",
  "http://local/",
  "http://METADATA.INTERNAL./",
  "http://%6c%6f%63%61%6c%68%6f%73%74/",
  "http://ｌｏｃａｌｈｏｓｔ/",
  "http://user@localhost/",
  "http://example.com@localhost/",
  "http://local\thost/",
  // IPv4 in other notations that a URL parser accepts.
  "http://127.0.1/",
  "http://0x7f.0x0.0x0.0x1/",
  "http://017700000001/",
  "http://0177.0x0.1/",
  "http://127.0.0.1../",
  "http://127。0。0。1/",
  "http://１２７.０.０.１/",
  "http://0/",
  "http://00000000/",
  "http://167772161/",
  "http://3232235777/",
  "http://0xa9fea9fe/",
  "http://192.168.257/",
  "http://user:word@10.0.0.1:80/",
  // IPv6: unspecified, loopback, link-local, site-local, unique local, multicast, documentation, reserved.
  "http://[0000:0000:0000:0000:0000:0000:0000:0001]/",
  "http://[fe80::]/",
  "http://[fd00:1:2:3:4:5:6:7]/",
  "http://[febf:ffff::1]/",
  "http://[feff::1]/",
  "http://[fdff:ffff::1]/",
  "http://[FD00::1]/",
  "http://[3fff::1]/",
  "http://[2001::1]/",
  "http://[2001:1ff::1]/",
  "http://[100::1]/",
  "http://[4000::1]/",
  "http://[5f00::1]/",
  // IPv4 inside IPv6: mapped, compatible, translated, NAT64, 6to4.
  "http://[::ffff:192.0.2.1]/",
  "http://[64:ff9b::203.0.113.1]/",
  "http://[2002:c000:201::1]/",
  "http://[::ffff:7f00:1]/",
  "http://[::FFFF:10.0.0.1]/",
  "http://[0:0:0:0:0:ffff:c0a8:0101]/",
  "http://[::ffff:0:127.0.0.1]/",
  "http://[::7f00:1]/",
  "http://[64:ff9b::127.0.0.1]/",
  "http://[64:ff9b::169.254.169.254]/",
  "http://[64:ff9b:1::8.8.8.8]/",
  "http://[2002:a00:1::1]/",
  "http://[2002:c0a8:101::1]/",
  "http://[2002:a9fe:a9fe::1]/",
];

/** The blocks of IPv4 addresses that are not public, between their public neighbors. */
const BLOCKS: [before: string, first: string, last: string, after: string][] = [
  ["8.8.8.8", "0.0.0.0", "0.255.255.255", "1.0.0.0"],
  ["9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"],
  ["100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"],
  ["126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"],
  ["169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"],
  ["172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"],
  ["191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"],
  ["192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"],
  ["192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"],
  ["198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"],
  ["198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"],
  ["203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"],
  ["223.255.255.255", "224.0.0.0", "255.255.255.255", "8.8.8.8"],
];

test.each(BLOCKS)("%s is allowed, %s to %s are refused, and %s is allowed", (...addresses) => {
  const isPublic = addresses.map((address) => isPublicHttpUrl(`http://${address}/`));
  expect(isPublic).toEqual([true, false, false, true]);
});

test.each(PUBLIC)("an upload from %j is allowed", (address) => {
  expect(isPublicHttpUrl(address)).toBe(true);
});

test.each(REFUSED)("an upload from %j is refused", (address) => {
  expect(isPublicHttpUrl(address)).toBe(false);
});

test.each([
  ["ftp://example.com/a.mp3", "must begin with http:// or https://"],
  ["http://example.com:99999/a.mp3", "must be a valid absolute URL"],
  ["http://", "must be a valid absolute URL"],
  ["http://[::1/a.mp3", "must be a valid absolute URL"],
  ["http://256.1.1.1/a.mp3", "must be a valid absolute URL"],
  ["http://10.0.0.1/a.mp3", "must be a public address: local and private networks are refused"],
])("the refusal of an upload from %j names the reason", (url, message) => {
  const request = { model: "provider_a", task_type: "upload", input: { url } };
  expect(findRequestViolation(request)?.issues).toEqual([{ path: "input.url", message }]);
});
