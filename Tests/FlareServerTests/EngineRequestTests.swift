import FlareServer
import SeededRandom
import SocketIO
import Testing

/// The query of the path of Engine.IO.
@Suite struct EngineRequestTests {
    @Test(arguments: [
        "/", "/socket.io", "/socket.io/x", "/Socket.IO/", "//socket.io/", "", "?transport=polling",
    ])
    func `other paths are not handled`(target: String) {
        #expect(!EngineRequest(target: target).isForEngine)
    }

    @Test func `a minimal request of an early client is parsed`() {
        let request = EngineRequest(target: "/socket.io/?transport=polling&b64=1")
        #expect(request.isForEngine)
        #expect(request.transport == .polling)
        #expect(request.revision == .three)
        #expect(request.form == .text)
        #expect(request.session == nil)
        #expect(!request.isJSONP)
    }

    @Test func `all parameters are parsed in any order and encoding`() {
        let request = EngineRequest(
            target: "/socket.io/?t=Nabc.1&sid=a%2Db_c&%45IO=4&transport=web%73ocket&x"
        )
        #expect(request.transport == .websocket)
        #expect(request.revision == .four)
        #expect(request.form == .text)
        #expect(request.session == "a-b_c")
    }

    @Test(arguments: [
        ("transport=polling", PollingFormat.binary), ("transport=polling&b64=0", .binary),
        ("transport=polling&b64=true", .text), ("transport=polling&EIO=4&b64=0", .text),
    ])
    func `the payload format is binary unless the client requests base64`(query: String, form: PollingFormat)
    {
        #expect(EngineRequest(target: "/socket.io/?\(query)").form == form)
    }

    @Test(arguments: ["EIO=2", "EIO=5", "EIO=", "EIO=x", "EIO=99999999999999999999", "EIO=3.0"])
    func `other revisions are unsupported`(query: String) {
        #expect(EngineRequest(target: "/socket.io/?transport=polling&\(query)").revision == nil)
    }

    @Test(arguments: ["transport=", "transport=Polling", "transport=flashsocket", "Transport=polling", ""])
    func `other transports are unsupported`(query: String) {
        #expect(EngineRequest(target: "/socket.io/?\(query)").transport == nil)
    }

    @Test func `arbitrary targets never trap`() {
        var fuzz = Fuzz(
            seed: 51,
            corpus: [
                "/socket.io/?EIO=3&transport=polling&b64=1&t=Nxyz",
                "/socket.io/?transport=websocket&sid=AbC-_123",
                "/socket.io/?EIO=4&transport=polling&sid=%41%42&j=0", "/environments?key=a&value=b",
            ]
        )
        var read = 0
        for _ in 0..<Fuzz.count {
            let target = String(decoding: fuzz.next(), as: UTF8.self)
            let request = EngineRequest(target: target)
            let path = target.prefix { $0 != "?" }
            if request.isForEngine != (path == "/socket.io/") { Issue.record("\(target)") }
            if request.transport != nil { read += 1 }
        }
        #expect(read > Fuzz.count / 20)
    }
}
