/** Part of your application: it can be given a client. */
export async function orderSong(client, tags) {
  const song = await client.tasks.run({ model: "provider_a", task_type: "music", input: { tags } });
  return song.output.result[0].audio_url;
}
