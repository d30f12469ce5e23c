import Hummingbird
import NIOCore

/// The page at `/`, unless the public folder has one.
enum StartPage {
    static let response = RESTResponse(
        type: "text/html; charset=utf-8",
        body: ByteBuffer(string: text),
        headers: [
            .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'",
            .xContentTypeOptions: "nosniff",
        ]
    )

    private static let text = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Trilateral Flare server</title>
        <style>
        body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; }
        code { background: #8882; padding: .1em .3em; border-radius: .2em; }
        :root { color-scheme: light dark; }
        </style>
        </head>
        <body>
        <h1>Flare server</h1>
        <p>Trilateral serves the model of a place here: environments, the zones in them, the things in zones, and
        the devices that move through them.</p>
        <ul>
        <li><a href="/environments">/environments</a>: the objects as JSON; from there
        <code>/environments/ID/zones</code>, <code>/environments/ID/zones/ID/things</code>,
        <code>/environments/ID/things</code>, <code>/environments/ID/devices</code></li>
        <li><code>/socket.io/</code>: live messages for Socket.IO clients, versions 1 to 4</li>
        </ul>
        </body>
        </html>

        """
}
