#!/usr/bin/env python3
"""Plays what an add-on sees of Home Assistant: the Supervisor's answer about the broker, and the ingress.

  home_assistant.py --services FILE --token TOKEN [--user NAME]

Port 80 is the Supervisor: GET /services/mqtt gives FILE to whoever has the token; while FILE is missing, an error.
Port 8123 is Home Assistant: / is a page with the add-on in a frame, below /api/hassio_ingress/TOKEN/ is the add-on.
Requests for the add-on at 127.0.0.1:8099 come from 172.30.32.2, with the headers that Home Assistant and its Supervisor set
there. The user is that of --user, or of the header X-Check-User ("-" is nobody).

Source: supervisor/api/ingress.py and supervisor/api/services.py of home-assistant/supervisor, homeassistant/components/hassio/
ingress.py of home-assistant/core; developers.home-assistant.io, "App communication", "Presenting your app", "App security".
"""

import argparse
import http.client
import http.server
import json
import os
import threading

INGRESS = "/api/hassio_ingress/a_long-secret/"
# Not passed on to the add-on.
REQUEST_DROPS = {"content-length", "content-encoding", "transfer-encoding", "accept-encoding", "connection",
                 "x-remote-user-id", "x-remote-user-name", "x-remote-user-display-name", "x-check-user"}
# Not passed back.
ANSWER_DROPS = {"transfer-encoding", "content-length", "content-encoding", "connection", "date", "server"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body, kind="application/json"):
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Supervisor(Handler):
    def do_GET(self):
        if self.headers.get("Authorization") != f"Bearer {self.server.token}":
            return self.answer(401, '{"result":"error","message":"Unauthorized"}')
        if self.path != "/services/mqtt":
            return self.answer(404, '{"result":"error","message":"Not found"}')
        if not os.path.exists(self.server.services):
            return self.answer(400, '{"result":"error","message":"Service not enabled"}')
        with open(self.server.services) as file:
            self.answer(200, json.dumps({"result": "ok", "data": json.load(file)}))


class Core(Handler):
    def pass_on(self):
        if self.path == "/":
            return self.answer(200, f'<!DOCTYPE html><title>x</title><iframe id="add-on" src="{INGRESS}kiosk" width="1000" height="700"></iframe>',
                               "text/html")
        if not self.path.startswith(INGRESS):
            self.server.strays.append(self.path)
            return self.answer(404, "{}")
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else None
        link = http.client.HTTPConnection("127.0.0.1", 8099, source_address=("172.30.32.2", 0), timeout=60)
        link.putrequest(self.command, "/" + self.path[len(INGRESS):], skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in REQUEST_DROPS:
                link.putheader(name, value)
        user = self.headers.get("X-Check-User") or self.server.user
        if user and user != "-":
            link.putheader("X-Remote-User-Id", "0123456789abcdef")
            link.putheader("X-Remote-User-Name", user)
            link.putheader("X-Remote-User-Display-Name", user.title())
        link.putheader("X-Ingress-Path", INGRESS.rstrip("/"))
        link.putheader("X-Forwarded-For", f"{self.client_address[0]}, 172.30.32.1")
        link.putheader("X-Forwarded-Host", self.headers.get("Host", ""))
        link.putheader("X-Forwarded-Proto", "http")
        if body is not None:
            link.putheader("Content-Length", str(len(body)))
        link.endheaders(body)
        answer = link.getresponse()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ANSWER_DROPS:
                self.send_header(name, value)
        has_body = self.command != "HEAD" and answer.status not in (204, 304)
        if has_body:
            self.send_header("Transfer-Encoding", "chunked")
        elif answer.status == 304 or self.command == "HEAD":
            self.send_header("Content-Length", "0")
        self.end_headers()
        while has_body:
            part = answer.read1(65536)
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            if not part:
                break
        link.close()

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = pass_on

    def handle(self):
        try:
            super().handle()
        except ConnectionError:
            pass


def start(services, token, user):
    """Starts both; returns Home Assistant, whose `strays` are the paths that were asked for outside of the add-on's prefix."""
    supervisor = http.server.ThreadingHTTPServer(("127.0.0.1", 80), Supervisor)
    supervisor.services, supervisor.token = services, token
    core = http.server.ThreadingHTTPServer(("127.0.0.1", 8123), Core)
    core.user, core.strays = user, []
    for server in (supervisor, core):
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
    return core


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--services", required=True)
    parser.add_argument("--token", required=True)
    parser.add_argument("--user")
    given = parser.parse_args()
    start(given.services, given.token, given.user)
    threading.Event().wait()
