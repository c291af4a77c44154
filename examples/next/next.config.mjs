/** @type {import("next").NextConfig} */
export default {
  // The emulator loads its workers from its own folder, so it is not bundled.
  serverExternalPackages: ["async-music"],
};
