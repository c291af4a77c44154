import { songEvents } from "../../../../../orders.ts";
import { songClient, songJournal } from "../../../../../songs.ts";

interface Context {
  params: Promise<{ order: string }>;
}

export async function GET(request: Request, { params }: Context): Promise<Response> {
  return songEvents(songClient(), songJournal(), (await params).order, request.signal);
}
