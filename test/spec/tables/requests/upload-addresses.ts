import { inputs, type Verdict } from "./row.js";

const MACHINE =
  "localhost LOCALHOST. music.localhost printer.local metadata.google.internal 127.0.0.1 127.8.9.10";
const NETWORKS = "10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 100.127.255.255";
const RESERVED = "0.0.0.0 0.1.2.3 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255";
const NOTATIONS =
  "2130706433 0x7f000001 0x7f.1 0177.0.0.1 127.1 127.0.0.1. %31%32%37.0.0.1 \uff11\uff12\uff17.0.0.1";
const USERS = "user@127.0.0.1 example.com@127.0.0.1";
const IPV6 =
  "[::] [::1] [0:0:0:0:0:0:0:1] [fc00::1] [fd12:3456::1] [fe80::1] [fec0::1] [ff02::1] [2001:db8::1]";
const IPV4_IN_IPV6 =
  "[::ffff:127.0.0.1] [::ffff:a00:1] [::127.0.0.1] [64:ff9b::192.168.0.1] [64:ff9b::a00:1] [2002:7f00:1::]";

const PUBLIC_IPV4 =
  "8.8.8.8 172.15.255.255 172.32.0.1 100.63.255.255 100.128.0.1 11.0.0.1 169.253.0.1 223.255.255.255";
const PUBLIC_IPV6 = "134744072 [2606:4700:4700::1111] [::ffff:8.8.8.8] [64:ff9b::8.8.8.8]";
const PUBLIC_NAMES =
  "localhost.example.com local.example.com notlocal.example 127.0.0.1.example.com b\u00fccher.example";

const addresses = (hosts: readonly string[], verdict: Verdict) =>
  hosts
    .flatMap((list) => list.split(" "))
    .map((host) => [`http://${host}/a`, { url: `http://${host}/a` }, verdict] as const);

/** Upload: local and private networks, in every notation (Fixed details: upload addresses). */
export const UPLOAD_ADDRESSES = inputs(
  "Input for `provider_a`, other task types: upload, public addresses",
  "provider_a",
  "upload",
  [
    ...addresses([MACHINE, NETWORKS, RESERVED, NOTATIONS, USERS, IPV6, IPV4_IN_IPV6], "invalid_task_input"),
    ...addresses([PUBLIC_IPV4, PUBLIC_IPV6, PUBLIC_NAMES], "accepted"),
  ],
);
