import MQTT
import Settings
import Testing
import Text

struct SecretTests {
    private let secret = Secret("hunter2")

    @Test func `no way of printing shows the text`() {
        var dumped = ""
        dump(secret, to: &dumped)
        var configuration = TrilateralConfiguration()
        configuration.mqtt.password = secret
        var whole = ""
        dump(configuration, to: &whole)
        let printed = [
            "\(secret)", String(describing: secret), String(reflecting: secret), dumped, whole,
            "\(configuration)",
            String(reflecting: configuration), "\([secret])", "\(Optional(secret) as Any)",
        ]
        for text in printed { #expect(!text.contains("hunter2"), "\(text)") }
        #expect("\(secret)" == "***")
    }

    @Test func `reveal returns the text`() {
        #expect(secret.reveal() == "hunter2")
    }
}
