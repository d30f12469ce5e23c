import Administration
import HTTPListener
import JSON
import People
import Testing
import Threading

struct AdministrationSocketTests {
    /// Answers one path, with a word.
    private static func answer(_ path: String, _ word: String) -> LocalAnswer {
        { request in request.path == ["api", path] ? LocalResponse(200, Array(word.utf8)) : nil }
    }

    /// What is answered, and what the accounts were asked.
    private static func ask(
        _ request: LocalRequest,
        _ answers: [LocalAnswer]
    ) async -> (status: Int, text: String, asked: [AccountsRequest]) {
        let asked = Locked<[AccountsRequest]>([])
        let response = await AdministrationSocket.answer(request, answers) { request in
            asked.withLock { $0.append(request) }
            return AccountsResponse(200, ["of": "accounts"])
        }
        let text = String(decoding: response.body, as: UTF8.self)
        return (response.status, text, asked.withLock { $0 })
    }

    @Test func `what a capability answers is not asked of the accounts, and the first one counts`() async {
        let answers = [
            Self.answer("lamp", "first"), Self.answer("lamp", "second"), Self.answer("oven", "hot"),
        ]
        let lamp = await Self.ask(LocalRequest("GET", ["api", "lamp"]), answers)
        #expect(lamp.text == "first" && lamp.asked.isEmpty)
        // Its body need not be JSON.
        let oven = await Self.ask(LocalRequest("POST", ["api", "oven"], body: [0xff]), answers)
        #expect(oven.text == "hot" && oven.asked.isEmpty)
    }

    @Test func `what no capability answers is asked of the accounts`() async {
        let reply = await Self.ask(
            LocalRequest("GET", ["api", "users", "bob"], query: ["a": "b"]),
            [Self.answer("lamp", "first")]
        )
        #expect(reply.text == #"{"of":"accounts"}"#)
        #expect(reply.asked.map(\.path) == [["users", "bob"]])
        #expect(reply.asked.map(\.query) == [["a": "b"]])
        #expect(reply.asked.first?.interface == AdministrationSocket.interface)
    }

    @Test(arguments: [
        ("GET", ["other"], "", 404), ("BREW", ["api", "users"], "", 404),
        ("POST", ["api", "users"], "{", 400),
    ])
    func `what the accounts cannot read is refused`(
        method: String,
        path: [String],
        body: String,
        status: Int
    ) async {
        let reply = await Self.ask(LocalRequest(method, path, body: Array(body.utf8)), [])
        #expect(reply.status == status && reply.asked.isEmpty)
    }
}
