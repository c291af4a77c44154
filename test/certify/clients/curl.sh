#!/bin/sh
# A few lines for a terminal: curl without --fail, and a loop that ends with a success only.
api() {
  curl -sS --retry 2 --retry-all-errors --retry-delay 1 -H "x-api-key: $ASYNC_MUSIC_API_KEY" -H "Content-Type: application/json" "$@"
}
field() {
  sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"
}

id=$(api "$ASYNC_MUSIC_BASE_URL/api/v1/task" \
  -d '{"model":"provider_a","task_type":"music","audio_format":"mp3","input":{"gpt_description_prompt":"rain"}}' | field task_id)
until task=$(api "$ASYNC_MUSIC_BASE_URL/api/v1/task/$id") && echo "$task" | grep -q '"status":"success"'; do
  sleep 5
done
curl -sS -o "$ASYNC_MUSIC_OUT_DIR/song.mp3" "$(echo "$task" | field audio_url)"
echo "$ASYNC_MUSIC_OUT_DIR/song.mp3"
