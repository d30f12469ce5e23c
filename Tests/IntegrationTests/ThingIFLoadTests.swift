import Foundation
import JSON
import TestSupport
import Testing

/// More things at once than passwords can be checked.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(5)))
struct ThingIFLoadTests {
    private static let form = "OnboardingWithVendorThingIDByThing"

    /// More than the queue of passwords has room for: the last connections find it full, and send most requests.
    @Test func `of a thousand onboardings at once each is answered, and a lamp is set meanwhile`()
        async throws
    {
        try await ThingIFSite.open { site in
            let port = try await site.port()
            let counts = Array(repeating: 1, count: 200) + Array(repeating: 16, count: 50)
            async let replies = onThread {
                var (clients, sent) = ([(WireClient, Int)](), 0)
                for count in counts {
                    let client = try WireClient(port: port)
                    for _ in 0..<count {
                        sent += 1
                        let body = #"{"vendorThingID":"many-\#(sent)","thingPassword":"secret"}"#
                        let head = [
                            "POST /thing-if/apps/\(ThingIFSite.app)/onboardings HTTP/1.1", "Host: localhost",
                            "Content-Type: application/vnd.kii.\(Self.form)+json", ThingIFSite.basic,
                            "Content-Length: \(body.utf8.count)",
                        ]
                        client.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
                    }
                    clients.append((client, count))
                }
                var replies: [WireClient.Reply] = []
                for (client, count) in clients {
                    for _ in 0..<count { if let reply = try Self.reply(to: client) { replies.append(reply) } }
                }
                return replies
            }
            for color in ["red", "green", "blue"] {
                let set = try await site.visitor.ask("things/table-lamp/set", #"{"color":"\#(color)"}"#)
                #expect(set.outcome == "ok")
            }
            let answered = try await replies
            #expect(answered.count == 1000)
            for reply in answered {
                switch reply.status {
                case 200: #expect(reply.json["accessToken"]?.string?.hasPrefix("tlt_") == true)
                case 429:
                    #expect(reply.errorCode == "TOO_MANY_REQUESTS" && reply.headers["retry-after"] == "5")
                default: Issue.record("\(reply)")
                }
            }
            let taken = answered.filter { $0.status == 200 }.count
            #expect((200..<1000).contains(taken), "\(taken)")
            let list = try await site.run("thing", "list")
            #expect(list.split(separator: "\n").filter { $0.contains("many-") }.count == taken)
        }
    }

    /// The next answer; on a busy machine the passwords before it take longer than the client waits at a time.
    private static func reply(to client: WireClient) throws -> WireClient.Reply? {
        for _ in 0..<5 {
            do { return try client.reply() } catch let failure as WireClient.Failure {
                guard failure.what.hasPrefix("no answer") else { throw failure }
            }
        }
        return nil
    }
}
