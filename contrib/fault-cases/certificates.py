"""Certificates that expire and are replaced while the daemon runs: of the broker, of its authority, and of the daemon's page."""
import datetime
import os
import signal
import socket
import ssl
import subprocess
import time

from world import eventually, expect


class Authority:
    """An authority that signs certificates for localhost until whatever second is asked for."""

    def __init__(self, world, name="authority"):
        self.world, self.name = world, name
        self.certificate, self.key = world.path(f"{name}.pem"), world.path(f"{name}.key")
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-days", "3650",
                      "-subj", f"/CN=Test authority {name}", "-keyout", self.key, "-out", self.certificate)
        world.write(f"{name}.index", "")
        self.settings = world.write(f"{name}.conf", f"""
[ca]
default_ca = own
[own]
database = {world.path(f"{name}.index")}
unique_subject = no
new_certs_dir = {world.folder}
rand_serial = yes
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
""")

    def _openssl(self, *words):
        end = subprocess.run(["openssl", *words], capture_output=True, text=True)
        expect(end.returncode == 0, f"openssl {words[0]}: {end.stderr}")

    def sign(self, certificate, key, seconds, begins=-3600):
        """Writes a certificate and its key, valid from then until so many seconds from now; below 0 it has expired."""
        now = datetime.datetime.now(datetime.timezone.utc)

        def moment(offset):
            return (now + datetime.timedelta(seconds=offset)).strftime("%Y%m%d%H%M%SZ")

        request, new = self.world.path("request.csr"), self.world.path("new.pem")
        new_key = self.world.path("new.key")
        self._openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-keyout", new_key,
                      "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-out", request)
        self._openssl("ca", "-config", self.settings, "-startdate", moment(min(begins, seconds - 3600)), "-enddate", moment(seconds),
                      "-cert", self.certificate, "-keyfile", self.key, "-in", request, "-out", new, "-notext", "-batch")
        os.replace(new_key, key)
        os.replace(new, certificate)


def _trusting(authority):
    return ssl.create_default_context(cafile=authority.certificate)


def _believing():
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def certificate_of_broker(world):
    """A broker's certificate that has expired is refused with the reason, a new one is used, and so is a new authority."""
    authority = Authority(world)
    certificate, key = world.path("server.pem"), world.path("server.key")
    lines = [f"certfile {certificate}", f"keyfile {key}", f"cafile {authority.certificate}"]
    authority.sign(certificate, key, -60)
    trusted = world.path("trusted.pem")
    world.write("trusted.pem", world.read("authority.pem"))
    broker = world.broker(*lines)
    daemon = world.daemon(broker.port, {"mqtt.host": "localhost", "mqtt.tls.enabled": "true", "mqtt.tls.ca_file": trusted})
    daemon.take_place().start()

    def refused():
        status, text = daemon.health()
        return status == 503 and ("expired" in text or "certificate" in text)

    def is_online():
        # It believes everything, as the one who doubts is the daemon.
        visitor = world.visitor(broker.port, tls=_believing())
        visitor.awaits("status", lambda text: text == "online")
        visitor.expect_ok("things/television/set", {"volume": world.rng.randrange(1000)})
        visitor.close()

    def restart():
        broker.kill()
        broker.start()

    eventually(lambda: f"an expired certificate is not named: {daemon.health()}", refused)
    expect("expired" in daemon.log(), f"the log does not say that it has expired: {daemon.log()[-500:]}")
    for turn in range(world.amount(1, 5)):
        # It expires while the link is up. The link stays, and the next one is refused.
        seconds = world.amount(4, 15)
        authority.sign(certificate, key, seconds)
        end = time.monotonic() + seconds + 1.5
        restart()
        is_online()
        said = len(daemon.log())
        while time.monotonic() < end:
            time.sleep(0.1)
        is_online()
        expect("lost" not in daemon.log()[said:], f"the link ends when the certificate expires: {daemon.log()[said:]}")
        restart()
        eventually(lambda: f"an expired certificate is not named: {daemon.health()}", refused)
        authority.sign(certificate, key, 86_400)
        restart()
        is_online()
        # Another authority: at first the daemon does not know it.
        authority = Authority(world, f"authority-{turn}")
        authority.sign(certificate, key, 86_400)
        restart()
        eventually(lambda: f"an unknown authority is not named: {daemon.health()}", refused)
        world.write("trusted.pem", world.read(f"authority-{turn}.pem"))
        is_online()
    # One that is not valid yet, as with a clock in the past.
    authority.sign(certificate, key, 90_000, begins=7200)
    restart()
    eventually(lambda: f"a certificate of the future is not named: {daemon.health()}", refused)
    authority.sign(certificate, key, 86_400)
    restart()
    # The alert ends when the link has lasted for some seconds.
    eventually(lambda: f"it is not well: {daemon.health()}", lambda: daemon.health()[0] == 200)
    daemon.stop()


def certificate_of_page(world):
    """The page's certificate expires: an alert; a renewed one is used without a reload, a broken one is an alert and harms nothing."""
    authority = Authority(world)
    certificate, key = world.path("page.pem"), world.path("page.key")
    authority.sign(certificate, key, world.amount(4, 30))
    ends = time.monotonic() + world.amount(4, 30)
    broker = world.broker()
    daemon = world.daemon(broker.port, {"web.tls.certificate_file": certificate, "web.tls.key_file": key}).take_place().start()
    visitor = world.visitor(broker.port)
    visitor.awaits("status", lambda text: text == "online")
    encrypted, port = daemon.address("web")
    expect(encrypted, "the page is not served over TLS")

    def serial():
        with socket.create_connection(("127.0.0.1", port), 5) as plain, _believing().wrap_socket(plain) as secured:
            return secured.getpeercert(True)

    def trusted():
        with socket.create_connection(("127.0.0.1", port), 5) as plain:
            with _trusting(authority).wrap_socket(plain, server_hostname="localhost") as secured:
                secured.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost:%d\r\nConnection: close\r\n\r\n" % port)
                return b" 200 " in secured.recv(1000)

    first = serial()
    expect(trusted(), "a valid certificate is not served")
    while time.monotonic() < ends + 1:
        time.sleep(0.1)

    def alert():
        # It looks when somebody connects.
        serial()
        return "alert/web-certificate" in visitor.topics

    eventually("there is no alert when it has expired", alert, 60, 0.5)
    for _ in range(world.amount(2, 20)):
        authority.sign(certificate, key, 86_400)
        eventually("a renewed certificate is not served", lambda: serial() != first, 10, 0.2)
        first = serial()
        expect(trusted(), "a renewed certificate is not valid")
        visitor.awaits_gone("alert/web-certificate")
        # Half of a pair, as while something copies it.
        whole = world.read("page.pem")
        world.write("page.pem", whole[:world.rng.randrange(1, len(whole) - 60)])
        eventually("a broken certificate is no alert", alert, 20, 0.2)
        expect(serial() == first, "the last good certificate is not served any more")
    world.write("page.pem", whole)
    eventually("the alert stays", lambda: not alert(), 20, 0.2)
    os.kill(daemon.process.pid, signal.SIGHUP)
    time.sleep(0.2)
    expect(trusted(), "after a reload it is not served")
    daemon.stop()


CASES = [certificate_of_broker, certificate_of_page]
