"""What programs with SQLAlchemy do: mapped classes, relationships, savepoints, reflection."""
import os

from sqlalchemy import BigInteger, Column, ForeignKey, MetaData, String, Text, create_engine, desc, func, inspect, text
from sqlalchemy.orm import Session, declarative_base, relationship

Base = declarative_base()


class User(Base):
    __tablename__ = "cl_user"
    id = Column(BigInteger, primary_key=True)
    name = Column(String(50), nullable=False)
    posts = relationship("Post", back_populates="user", cascade="all, delete-orphan")


class Post(Base):
    __tablename__ = "cl_post"
    id = Column(BigInteger, primary_key=True, autoincrement=False)
    user_id = Column(BigInteger, ForeignKey("cl_user.id"), primary_key=True)
    text = Column(Text)
    user = relationship("User", back_populates="posts")


engine = create_engine("postgresql+psycopg2://")
Base.metadata.drop_all(engine)
Base.metadata.create_all(engine)
if os.environ["PLACES"]:
    with engine.begin() as connection:
        connection.execute(text("SELECT create_distributed_table('cl_user', 'id')"))
        connection.execute(text("SELECT create_distributed_table('cl_post', 'user_id', colocate_with => 'cl_user')"))
with Session(engine) as session:
    for i in range(20):
        session.add(User(name=f"u{i:02}"))
    session.commit()
    users = session.query(User).order_by(User.name).all()
    print(len({user.id for user in users}), users[3].name)
    for user in users:
        user.posts.append(Post(id=7, text=user.name))
    session.commit()
    posts = session.query(User.name, func.count(Post.id)).join(Post).group_by(User.id, User.name)
    print(posts.order_by(User.name).limit(3).all())
    session.delete(session.query(User).filter_by(name="u00").one())
    session.commit()
    print(session.query(Post).count())
    like = session.query(User).filter(User.name.like("u1%")).order_by(desc(User.name))
    print([user.name for user in like.offset(1).limit(2)])
    with session.begin_nested():
        session.add(User(name="nested"))
    session.commit()
    print(session.query(User).filter(User.posts.any()).count(), session.query(User).count())
names = inspect(engine)
print([column["name"] for column in names.get_columns("cl_post")], names.get_pk_constraint("cl_post")["constrained_columns"])
print([key["referred_table"] for key in names.get_foreign_keys("cl_post")])
reflected = MetaData()
reflected.reflect(engine, only=["cl_user", "cl_post"])
print(sorted(reflected.tables))
Base.metadata.drop_all(engine)
