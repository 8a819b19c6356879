import java.nio.file.Path;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;

/** A real Neo4j. usage: java Neo4jServer.java HOME_DIR, which holds neo4j.conf; prints "ready" when Bolt answers. */
public class Neo4jServer {
  public static void main(String[] args) throws Exception {
    var home = Path.of(args[0]);
    var service = new DatabaseManagementServiceBuilder(home).loadPropertiesFromFile(home.resolve("neo4j.conf")).build();
    Runtime.getRuntime().addShutdownHook(new Thread(service::shutdown));
    System.out.println("ready");
    System.out.flush();
    Thread.currentThread().join();
  }
}
