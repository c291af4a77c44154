import { orderSong, readSong } from "../../../../orders.ts";
import { songClient, songJournal } from "../../../../songs.ts";

interface Context {
  params: Promise<{ order: string }>;
}

export async function PUT(request: Request, { params }: Context): Promise<Response> {
  const body = await request.json().catch(() => null);
  return orderSong(songClient(), songJournal(), (await params).order, body?.description);
}

export async function GET(_: Request, { params }: Context): Promise<Response> {
  return readSong(songClient(), songJournal(), (await params).order);
}
