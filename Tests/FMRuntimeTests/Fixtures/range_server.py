#!/usr/bin/env python3
"""Serves a folder's subfolders on the loopback address, with Range and If-Range, and breaks off when asked to.

Usage: range_server.py FOLDER LOG_FILE

Prints its port and serves until its standard input ends. Writes one line a request to LOG_FILE:
path, status, first byte sent.
Path prefixes: /cut/N/FILE closes the connection after N bytes of an answer that starts at byte 0;
/hold/N/FILE sends no more then and waits for the client to leave; /weak/FILE has a weak entity tag; /none/FILE has no validator;
/moved/FILE redirects to /FILE; /noranges/FILE always sends everything.
"""
import http.server
import re
import sys
import threading
from hashlib import sha256
from pathlib import Path

FOLDER, LOG_FILE = (Path(argument) for argument in sys.argv[1:3])


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        mode, cut, name = "", None, self.path[1:].split("?")[0]
        match = re.fullmatch(r"(cut|hold)/(\d+)/(.*)|(weak|none|moved|noranges)/(.*)", name)
        if match:
            mode = match[1] or match[4]
            cut = int(match[2]) if match[2] else None
            name = match[3] or match[5]
        if mode == "moved":
            return self.answer(302, [("Location", "/" + name), ("Content-Length", "0")], b"", 0)
        file = FOLDER / name
        if name.count("/") != 1 or ".." in name or not file.is_file():
            return self.answer(404, [("Content-Length", "0")], b"", 0)
        data = file.read_bytes()
        tag = '"%s"' % sha256(data).hexdigest()[:16]
        headers = [("Accept-Ranges", "bytes")]
        if mode == "weak":
            headers.append(("ETag", "W/" + tag))
        elif mode != "none":
            headers.append(("ETag", tag))
        start = self.start(len(data), tag) if mode != "noranges" else 0
        if start is None:
            headers += [("Content-Range", "bytes */%d" % len(data)), ("Content-Length", "0")]
            return self.answer(416, headers, b"", 0)
        headers.append(("Content-Length", str(len(data) - start)))
        if start:
            headers.append(("Content-Range", "bytes %d-%d/%d" % (start, len(data) - 1, len(data))))
        body = data[start:]
        if cut is not None and start == 0:
            body = body[:cut]
            self.close_connection = True
        self.answer(206 if start else 200, headers, body, start)
        if mode == "hold" and start == 0:
            self.rfile.read(1)

    def start(self, size, tag):
        """The first byte asked for; None when there is none such."""
        match = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if not match or self.headers.get("If-Range", tag) != tag:
            return 0
        return int(match[1]) if int(match[1]) < size else None

    def answer(self, status, headers, body, start):
        with LOG_FILE.open("a") as log:
            log.write(f"{self.path} {status} {start}\n")
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
            self.wfile.flush()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, *_):
        pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    LOG_FILE.touch()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
