import Foundation
import JSON
import TestSupport
import Testing

/// The example that delivers messages, contrib/outbox, with a real broker and programs that write down what they get.
@Suite(.enabled(if: Mosquitto.isExpected && OutboxExample.canRun), .timeLimit(.minutes(2)))
struct OutboxExampleTests {
    private static func mail(
        _ id: String,
        to: String = "alice@example.org",
        subject: String = "Warm",
        text: String = "freezer is at -3"
    ) -> String {
        let body: JSONValue = [
            "id": .string(id), "to": .string(to), "subject": .string(subject), "text": .string(text),
            "kind": "rule", "rule": "warm", "seq": 1, "ts": "2026-11-21T10:00:00.000Z",
        ]
        return body.text
    }

    @Test func `an e-mail goes to sendmail once, and nothing in it is a command, an option or a header`()
        async throws
    {
        try await OutboxExample.run { example, visitor in
            let touch = "touch '\(example.folder.path("pwned"))'"
            let text = "freezer is at -3\n$(\(touch)) `\(touch)`; \(touch)"
            let subject = "Warm\r\nBcc: eve@example.org"
            visitor.say("outbox/email", Self.mail("m.1", subject: subject, text: text))
            visitor.say("outbox/email", Self.mail("m.1"))
            for address in ["-oQ/tmp@example.org", "a@example.org,b@example.org", "|\(touch)"] {
                visitor.say("outbox/email", Self.mail(address, to: address))
            }
            visitor.say("outbox/email", "no message")
            visitor.say("outbox/email", Self.mail("m.2", to: "bob@example.org"))
            #expect(await example.awaits("mails", "To: bob@example.org"))
            let mails = example.folder.read("mails")
            #expect(mails.components(separatedBy: "From: Trilateral <t@example.org>").count == 3, "\(mails)")
            #expect(mails.contains("argument --\nargument alice@example.org\n"), "\(mails)")
            #expect(mails.contains("Subject: Warm  Bcc: eve@example.org\n"), "\(mails)")
            #expect(!mails.contains("\nBcc:") && !example.exists("pwned"))
            // The journal tells neither texts nor addresses.
            #expect(!example.log.contains("freezer") && !example.log.contains("alice"), "\(example.log)")
        }
    }

    @Test func `a text message and a push notice go to programs, and one that fails is tried again`()
        async throws
    {
        try await OutboxExample.run { example, visitor in
            try example.folder.write("", to: "busy")
            let text = "\"; touch '\(example.folder.path("pwned"))'"
            let body: JSONValue = ["id": "m.1", "to": "(+49) 30/12-34", "text": .string(text)]
            visitor.say("outbox/sms", body.text)
            visitor.say("outbox/push", #"{"id":"m.2","to":"token","title":"Warm","text":"31 °C"}"#)
            #expect(await example.awaits("pushes", #""to": "token""#))
            #expect(example.folder.read("pushes").contains("31 °C"))
            #expect(await example.awaits("texts", "argument two words\nargument +49301234\n\(text)"))
            #expect(example.log.contains("ended with 75: modem busy; again in 2 s"), "\(example.log)")
            #expect(!example.exists("pwned"))
        }
    }

    @Test func `a mail server that hangs holds up neither text messages nor push`() async throws {
        try await OutboxExample.run { example, visitor in
            try example.folder.write("", to: "stuck")
            // More than wait here: the others wait in the broker.
            let text = String(repeating: "x", count: 4000)
            for number in 1...200 { visitor.say("outbox/email", Self.mail("m.\(number)", text: text)) }
            visitor.say("outbox/sms", #"{"id":"s.1","to":"030 1234","text":"in time"}"#)
            #expect(await example.awaits("texts", "argument 0301234\nin time"))
            visitor.say("outbox/push", #"{"id":"p.1","to":"token","title":"Warm","text":"in time"}"#)
            #expect(await example.awaits("pushes", #""to": "token""#))
            #expect(!example.exists("mails"))
        }
    }

    @Test func `what comes while it does not run is delivered later`() async throws {
        try await OutboxExample.run { example, visitor in
            visitor.say("outbox/email", Self.mail("m.1"))
            #expect(await example.awaits("mails", "alice@example.org"))
            await example.stop()
            visitor.say("outbox/email", Self.mail("m.2", to: "bob@example.org"))
            try await example.start()
            #expect(await example.awaits("mails", "To: bob@example.org"))
        }
    }

    @Test(
        arguments: [
            ("[broker]\nroot = a/b\n", 78, "at least one of"),
            ("[email]\nfrom = x\n", 78, "broker.root is missing"),
            ("[broker]\nroot = a/b\nrot = 1\n[push]\ncommand = cat\n", 78, "broker.rot means nothing"),
            ("[broker]\nroot = a/b\n[push]\ncommand = no-such-program\n", 78, "no program no-such-program"),
            (
                "[broker]\nroot = a/b\nuser = u\npassword_file = open\n[push]\ncommand = cat\n", 78,
                "chmod 600"
            ),
            ("[broker]\nroot = a/b\n[push]\ncommand = cat\n", 0, "delivers a/b/outbox/push"),
        ] as [(String, Int32, String)]
    )
    func `a configuration is checked`(text: String, status: Int32, message: String) async throws {
        try await withTemporaryFolder { folder in
            try folder.write("secret\n", to: "open")
            #expect(chmod(folder.path("open"), 0o644) == 0)
            try folder.write(text.replacing("= open", with: "= \(folder.path("open"))"), to: "conf")
            let child = try ChildProcess(
                OutboxExample.program,
                ["--check", folder.path("conf")],
                output: folder.path("output")
            )
            let end = await child.end(within: .seconds(30))
            await child.destroy()
            #expect(end == status && folder.read("output").contains(message), "\(folder.read("output"))")
        }
    }
}

/// deliver.py with fake programs.
actor OutboxExample {
    static let program = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "contrib/outbox/deliver.py").path

    /// Whether what it needs is there.
    static var canRun: Bool {
        ProcessInfo.processInfo.environment["CI"] == "true"
            || ["python3", "mosquitto_sub"].allSatisfy { ChildProcess.find($0) != nil }
    }

    nonisolated let folder: TemporaryFolder
    private var child: ChildProcess?

    private init(_ folder: TemporaryFolder) { self.folder = folder }

    nonisolated var log: String { folder.read("log") }

    nonisolated func exists(_ name: String) -> Bool { access(folder.path(name), F_OK) == 0 }

    /// Waits until a program has written something.
    nonisolated func awaits(_ file: String, _ text: String) async -> Bool {
        await eventually { folder.read(file).contains(text) }
    }

    func start() throws {
        child = try ChildProcess(Self.program, [folder.path("conf")], output: folder.path("log"))
    }

    func stop() async {
        child?.signal(SIGTERM)
        #expect(await child?.end(within: .seconds(10)) == 0)
        await child?.destroy()
        child = nil
    }

    /// Ends it, with the program that it has started.
    private func end() async {
        await child?.terminate()
        child = nil
    }

    /// Runs the body while it runs; messages of the visitor come to it.
    static func run(_ body: (OutboxExample, Visitor) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let waits = "while [ -e '\(folder.path("stuck"))' ]; do sleep 1; done\n"
            let writes = { (file: String) in
                "#!/bin/sh\n{ printf 'argument %s\\n' \"$@\"; cat; } >>'\(folder.path(file))'\n"
            }
            let busy = "if rm '\(folder.path("busy"))' 2>/dev/null; then echo 'modem busy' >&2; exit 75; fi\n"
            let sms = writes("texts").replacing("#!/bin/sh\n", with: "#!/bin/sh\n\(busy)")
            let mail = writes("mails").replacing("#!/bin/sh\n", with: "#!/bin/sh\n\(waits)")
            for (name, script) in [("sendmail", mail), ("sms", sms), ("push", writes("pushes"))] {
                try folder.write(script, to: name)
                #expect(chmod(folder.path(name), 0o755) == 0)
            }
            try await withMosquitto { broker in
                try folder.write(
                    """
                    [broker]
                    host = 127.0.0.1
                    port = \(broker.port)
                    root = trilateral/t
                    [email]
                    from = Trilateral <t@example.org>
                    sendmail = \(folder.path("sendmail"))
                    [sms]
                    command = \(folder.path("sms")) "two words"
                    [push]
                    command = \(folder.path("push"))
                    """,
                    to: "conf"
                )
                let example = OutboxExample(folder)
                try await example.start()
                do {
                    try await withVisitor(to: "trilateral/t", port: broker.port) { visitor in
                        // The first message may come before its subscription: it is said until it is heard.
                        let isReady = await eventually {
                            for channel in ["email", "sms", "push"] {
                                visitor.say("outbox/\(channel)", #"{"id":"first","to":"-"}"#)
                            }
                            let log = folder.read("log")
                            return log.contains("first: delivered")
                                && log.contains("first: the address is not legal")
                                && log.contains("first: the number is not legal")
                        }
                        try #require(isReady, "\(folder.read("log"))")
                        try await body(example, visitor)
                    }
                    await example.end()
                } catch {
                    await example.end()
                    throw error
                }
            }
        }
    }
}
