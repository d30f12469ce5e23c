import Cryptography
import Testing

struct BrokerPasswordTests {
    /// Lines as mosquitto_passwd 2.0.11 has written them.
    @Test(
        arguments: [
            (
                "secret", [212, 18, 52, 109, 133, 199, 141, 139, 71, 63, 33, 31],
                "$7$101$1BI0bYXHjYtHPyEf$73bTg61OMd4ymPUBjSkfsJlI/BcLTA0R75zdnPj/a48ics9bu6F9IpWT35VgD2EzNaE0F11sYBUFf59tUw77ng=="
            ),
            (
                "s3cret-of-v1", Array(0...11),
                "$7$101$AAECAwQFBgcICQoL$5TB+zuMIrIVFS5+bI8nqu0Vc+272tEY+BXbPVXCjeOU+BaiIlig/0p01jR3SWUmDRpp4PGhpvQLuHXKMRp30ZA=="
            ),
        ] as [(String, [UInt8], String)]
    )
    func `a password is hashed as mosquitto does`(password: String, salt: [UInt8], line: String) {
        #expect(BrokerPassword(of: password, salt: salt).description == line)
    }

    @Test func `each line has a salt of its own`() throws {
        let lines = try (0..<2).map { _ in
            try #require(BrokerPassword.line(user: "v-1", password: "secret"))
        }
        #expect(lines[0] != lines[1])
        for line in lines {
            #expect(line.hasPrefix("v-1:$7$101$") && line.hasSuffix("==\n"))
            #expect(line.utf8.count == "v-1:$7$101$".utf8.count + 16 + 1 + 88 + 1)
        }
    }

    @Test(arguments: ["", "a:b", "a b", "a\nb", "#a", "\u{7F}"])
    func `a name that no line can hold has none`(user: String) {
        #expect(BrokerPassword.line(user: user, password: "secret") == nil)
    }

    @Test func `a password with NUL is in no line, since the broker would cut it`() {
        #expect(BrokerPassword.line(user: "v", password: "a\0b") == nil)
        #expect(BrokerPassword.line(user: "v", password: "") != nil)
    }
}
